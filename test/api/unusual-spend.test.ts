import { describe, expect, test } from "vitest";
import { aRun } from "../support/ledger.ts";
import { newSubscriber, receivedAt, receiver, type Subscriber } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";

const DAY_MS = 86_400_000;

/** Thirty days of about ten dollars each, and a last one of `last` dollars. */
async function spendDaily(org: Subscriber, last: string): Promise<void> {
  const now = Date.now();
  const runs = Array.from({ length: 31 }, (_, at) =>
    aRun({
      started_at: new Date(now - (30 - at) * DAY_MS).toISOString(),
      model: "acme/m1",
      customer_id: "globex",
      cost_usd: at === 30 ? last : String(10 + (at % 3)),
    }),
  );
  const sent = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs } });
  expect(sent.status).toBe(200);
}

describe("unusual spend", () => {
  test("is announced once for each subject and day, to whoever wants to hear of it", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const chat = receiver();
    await org.subscribe(url, ["spend.unusual"]);
    await org.ask("POST", "/webhooks", { format: "slack", url: chat, events: ["spend.*"] });
    await spendDaily(org, "500");
    await org.advance(3600);
    await org.settle();
    const named = receivedAt(url).map(({ event }) => (event.data as { subject_kind: string }).subject_kind);
    expect(named.toSorted()).toEqual(["customer", "model", "org"]);
    expect(receivedAt(url)[0]?.event.data).toMatchObject({ direction: "above", spent_usd: "500.00" });
    expect(receivedAt(chat)[0]?.body).toContain("The organization spent more than usual");
    await org.advance(3600);
    await org.advance(3600);
    expect(receivedAt(url)).toHaveLength(3);
    const listed = await org.ask("GET", "/usage/unusual");
    expect(listed.body).toMatchObject({
      sensitivity: "normal",
      data: [
        { subject_kind: "org" },
        { subject_kind: "model", subject_id: "acme/m1" },
        { subject_kind: "customer", subject_id: "globex" },
      ],
    });
  });

  test("is not looked for in an org where nobody wants to hear of it", async () => {
    const org = await newSubscriber();
    await org.subscribe(receiver(), ["budget.*"]);
    await spendDaily(org, "500");
    await org.settle();
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'unusual-spend'")).toEqual([]);
    expect(await rowsOf(org.id, "SELECT * FROM unusual_days")).toEqual([]);
    expect((await org.ask("GET", "/usage/unusual")).body.data).toHaveLength(3);
  });

  test("is not announced where it is off, and the watch ends with the webhook", async () => {
    const org = await newSubscriber();
    const url = receiver();
    const { id } = await org.subscribe(url, ["spend.unusual"]);
    expect((await org.ask("GET", "/unusual-spend")).body).toEqual({ sensitivity: "normal" });
    expect((await org.ask("PUT", "/unusual-spend", { sensitivity: "off" })).body).toEqual({
      sensitivity: "off",
    });
    await spendDaily(org, "500");
    await org.advance(7200);
    expect(receivedAt(url)).toEqual([]);
    await org.ask("PUT", "/unusual-spend", { sensitivity: "high" });
    await org.settle();
    expect(receivedAt(url)).toHaveLength(3);
    await org.ask("DELETE", `/webhooks/${id}`);
    await org.advance(7200);
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'unusual-spend'")).toEqual([]);
    expect((await org.ask("PUT", "/unusual-spend", { sensitivity: "wild" })).status).toBe(422);
  });

  test.each(["from=2026-11-10&to=2026-11-10", "from=2026-01-01&to=2026-03-01", "from=soon"])(
    "is not listed for %s",
    async (query) => {
      const org = await newSubscriber();
      expect((await org.ask("GET", `/usage/unusual?${query}`)).status).toBe(422);
    },
  );
});
