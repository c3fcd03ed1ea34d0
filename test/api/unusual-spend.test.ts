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

const HOUR_MS = 3_600_000;

/** A run of a dollar each hour for 30 days, then twelve in this hour. */
async function spendHourly(org: Subscriber): Promise<string> {
  const now = Date.now();
  const runAt = (at: number) =>
    aRun({ started_at: new Date(at).toISOString(), customer_id: "globex", user_id: "ada", cost_usd: "1" });
  const before = Array.from({ length: 720 }, (_, at) => runAt(now - (720 - at) * HOUR_MS));
  const runs = [...before, ...Array.from({ length: 12 }, () => runAt(now))];
  const sent = await call("POST", "/v1/runs/bulk", { key: org.ownerKey, body: { runs } });
  expect(sent.body.accepted).toBe(732);
  return new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString();
}

interface Found {
  readonly subject_kind: string;
  readonly hour: string | null;
  readonly spent_usd: string;
}

describe("unusual spend", () => {
  test("of an hour is announced for everybody who spent it, though the day is as usual", async () => {
    const org = await newSubscriber();
    const [url, chat] = [receiver(), receiver()];
    const hour = await spendHourly(org);
    await org.subscribe(url, ["spend.unusual"]);
    await org.ask("POST", "/webhooks", { format: "slack", url: chat, events: ["spend.*"] });
    await org.settle();
    const found = receivedAt(url).map(({ event }) => event.data as Found);
    expect(found.map(({ subject_kind: kind }) => kind).toSorted()).toEqual([
      "customer",
      "key",
      "model",
      "org",
      "user",
    ]);
    for (const one of found) expect(one).toMatchObject({ hour, spent_usd: "12.00", expected_usd: "1.00" });
    expect(
      receivedAt(chat)
        .map(({ body }) => body)
        .join(),
    ).toContain(`${hour.slice(11, 16)} UTC`);
    const listed = await org.ask("GET", "/usage/unusual");
    expect(listed.body).toMatchObject({ complete: true });
    expect(listed.body.data).toHaveLength(5);
    await org.advance(3600);
    expect(receivedAt(url)).toHaveLength(5);
  });

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
    expect(named.toSorted()).toEqual(["customer", "key", "model", "org"]);
    expect(receivedAt(url)[0]?.event.data).toMatchObject({ direction: "above", spent_usd: "500.00" });
    expect(receivedAt(chat)[0]?.body).toContain("The organization spent more than usual");
    await org.advance(3600);
    await org.advance(3600);
    expect(receivedAt(url)).toHaveLength(4);
    const listed = await org.ask("GET", "/usage/unusual");
    expect(listed.body).toMatchObject({
      sensitivity: "normal",
      data: [
        { subject_kind: "org" },
        { subject_kind: "model", subject_id: "acme/m1" },
        { subject_kind: "customer", subject_id: "globex" },
        { subject_kind: "key", hour: null, spent_usd: "500.00" },
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
    expect((await org.ask("GET", "/usage/unusual")).body.data).toHaveLength(4);
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
    expect(receivedAt(url)).toHaveLength(4);
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
