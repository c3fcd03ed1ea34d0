import { describe, expect, test } from "vitest";
import { killedInCall } from "../support/kills.ts";
import { aRun } from "../support/ledger.ts";
import { bindMailbox } from "../support/mailbox.ts";
import { fieldsOf, newSubscriber, receivedAt, receiver, type Subscriber } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { call } from "../support/worker.ts";

const DAY = 86_400;
const DAY_MS = DAY * 1000;
const daily = (to: string[] = []) => ({ every: "day", at: "09:00", timezone: "UTC", to });

async function spendOn(org: Subscriber, daysAgo: number, usd: string, fields: object = {}): Promise<void> {
  const started_at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
  const sent = await call("POST", "/v1/runs", {
    key: org.ownerKey,
    body: aRun({ started_at, cost_usd: usd, customer_id: "globex", ...fields }),
  });
  expect(sent.status).toBe(201);
}

describe("a digest", () => {
  test("is set, read, listed, changed and deleted", async () => {
    const org = await newSubscriber();
    const made = await org.ask("PUT", "/digests/morning", daily());
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ name: "morning", every: "day", at: "09:00", timezone: "UTC", to: [] });
    expect(Date.parse(made.body.next_at) - Date.now()).toBeLessThanOrEqual(DAY_MS);
    expect((await org.ask("GET", "/digests/morning")).body).toEqual(made.body);
    expect((await org.ask("GET", "/digests")).body.data).toEqual([made.body]);
    expect((await org.ask("DELETE", "/digests/morning")).status).toBe(204);
    expect((await org.ask("GET", "/digests/morning")).status).toBe(404);
    expect((await org.ask("POST", "/digests/morning/preview")).status).toBe(404);
    expect(await rowsOf(org.id, "SELECT * FROM due WHERE kind = 'digest'")).toEqual([]);
  });

  test("shows the last period beside the one before, by model and by what changed most", async () => {
    const org = await newSubscriber();
    await org.ask("PUT", "/digests/morning", daily());
    await spendOn(org, 1, "30", { model: "acme/m1" });
    await spendOn(org, 1, "5", { model: "acme/m2" });
    await spendOn(org, 2, "10", { model: "acme/m1" });
    await spendOn(org, 0, "99", { model: "acme/m1" });
    const budget = await org.ask("POST", "/budgets", {
      scope_kind: "org",
      limit_usd: "0.5",
      period: "total",
    });
    expect(
      (await call("POST", "/v1/runs", { key: org.ownerKey, body: aRun({ cost_usd: "9" }) })).status,
    ).toBe(402);
    const shown = await org.ask("POST", "/digests/morning/preview");
    expect(shown.body).toMatchObject({
      name: "morning",
      from: new Date(Date.now() - DAY_MS).toISOString().slice(0, 10),
      spent_usd: "35.00",
      previous_usd: "10.00",
      by_model: [
        { kind: "model", name: "acme/m1", spent_usd: "30.00", previous_usd: "10.00" },
        { kind: "model", name: "acme/m2", spent_usd: "5.00", previous_usd: "0.00" },
      ],
      unusual: [],
    });
    expect(shown.body.changed_most[0]).toMatchObject({
      kind: "customer",
      name: "globex",
      spent_usd: "35.00",
    });
    expect(budget.status).toBe(201);
  });

  test("is sent once for each period to the webhooks that it names, and to no others", async () => {
    const org = await newSubscriber();
    const [chat, ours, other] = [receiver(), receiver(), receiver()];
    const slack = await org.ask("POST", "/webhooks", { format: "slack", url: chat, events: ["key.revoked"] });
    const { id } = await org.subscribe(ours, ["key.revoked"]);
    await org.subscribe(other, ["*"]);
    await spendOn(org, 0, "12");
    expect((await org.ask("PUT", "/digests/morning", daily([slack.body.id, id]))).status).toBe(200);
    await org.advance(DAY);
    await org.settle();
    expect(receivedAt(chat)).toHaveLength(1);
    expect(receivedAt(chat)[0]?.body).toContain("What was spent from");
    expect(receivedAt(ours).map(({ event }) => event.type)).toEqual(["digest.ready"]);
    expect(receivedAt(other).filter(({ event }) => event.type === "digest.ready")).toEqual([]);
    await org.advance(3 * DAY);
    await org.settle();
    await org.settle();
    const periods = receivedAt(ours).map(({ event }) => (event.data as { from: string }).from);
    expect(periods).toHaveLength(4);
    expect(new Set(periods).size).toBe(4);
  });

  test("is not queued for a webhook that is disabled, nor for addresses that nobody has confirmed", async () => {
    const org = await newSubscriber();
    const box = await bindMailbox(org.id);
    const { id } = await org.subscribe(receiver(), ["key.revoked"]);
    expect((await org.ask("PUT", "/digests/morning", daily([id, "ada@example.com"]))).status).toBe(200);
    expect((await org.ask("PATCH", `/webhooks/${id}`, { status: "disabled" })).status).toBe(200);
    await org.advance(DAY);
    await org.settle();
    const queued = "SELECT * FROM webhook_deliveries WHERE event_type = 'digest.ready'";
    expect(await rowsOf(org.id, queued)).toEqual([]);
    const mails = () => rowsOf(org.id, "SELECT id FROM webhook_subscriptions WHERE format = 'email'");
    expect(await mails()).toHaveLength(1);
    expect((await org.ask("PUT", "/digests/morning", daily([id]))).status).toBe(200);
    expect(await mails()).toEqual([]);
    await box.unbind();
  });

  test("is not sent before its time, whenever the object wakes up", async () => {
    const org = await newSubscriber();
    const { id } = await org.subscribe(receiver(), ["key.revoked"]);
    const { next_at: nextAt } = (await org.ask("PUT", "/digests/morning", daily([id]))).body;
    await rowsOf(org.id, "UPDATE due SET at = 1 WHERE kind = 'digest'");
    await org.settle();
    expect(await rowsOf(org.id, "SELECT * FROM webhook_deliveries")).toEqual([]);
    expect(await rowsOf(org.id, "SELECT at FROM due WHERE kind = 'digest'")).toEqual([
      { at: Date.parse(nextAt) },
    ]);
    expect((await org.ask("GET", "/digests/morning")).body.next_at).toBe(nextAt);
  });

  test("is one of at most twenty", async () => {
    const org = await newSubscriber();
    for (let at = 0; at < 20; at += 1) await org.ask("PUT", `/digests/d${at}`, daily());
    const more = await org.ask("PUT", "/digests/more", daily());
    const again = await org.ask("PUT", "/digests/d1", daily());
    expect([more.body.error?.code, again.status]).toEqual(["conflict", 200]);
  });

  test("is made once, wherever the object dies while it makes it", async () => {
    const org = await newSubscriber();
    const { id } = await org.subscribe(receiver(), ["key.revoked"]);
    await org.ask("PUT", "/digests/morning", daily([id]));
    const places: string[] = [];
    for (let place = 0; place < 24; place += 1) {
      const due = Date.now() - 1000;
      await rowsOf(org.id, "UPDATE digests SET next_at = ?", due);
      await rowsOf(org.id, "UPDATE due SET at = ? WHERE kind = 'digest'", due);
      const died = await killedInCall(org.id, place, () => org.settle().catch(() => undefined));
      places.push(died ?? "nowhere");
      await org.advance(61);
      await org.settle();
      expect(await rowsOf(org.id, "SELECT * FROM webhook_deliveries")).toHaveLength(place + 1);
    }
    expect(new Set(places).size).toBeGreaterThan(2);
  });

  test("goes to addresses once they have confirmed themselves", async () => {
    const org = await newSubscriber();
    expect(fieldsOf(await org.ask("PUT", "/digests/d", daily(["digest@example.com"])))).toEqual(["to[0]"]);
    const box = await bindMailbox(org.id);
    expect((await org.ask("PUT", "/digests/d", daily(["digest@example.com"]))).status).toBe(200);
    await org.advance(DAY);
    await org.settle();
    expect(box.mailsTo("digest@example.com").map(({ subject }) => subject)).toEqual([
      "Confirm your address for messages from Sluice",
    ]);
    await rowsOf(org.id, "UPDATE email_addresses SET confirmed_at = 1");
    await org.advance(DAY);
    await org.settle();
    expect(box.mailsTo("digest@example.com")[1]?.subject).toContain("What was spent from");
    await org.ask("DELETE", "/digests/d");
    expect(await rowsOf(org.id, "SELECT * FROM webhook_subscriptions")).toEqual([]);
    await box.unbind();
  });

  test.each([
    ["morning", { ...daily(), every: "hour" }, ["every"]],
    ["morning", { ...daily(), at: "24:00" }, ["at"]],
    ["morning", { ...daily(), timezone: "Mars/Olympus" }, ["timezone"]],
    ["morning", daily(["sub_00000000000000000000000000"]), ["to[0]"]],
    ["A%20B", daily(), ["name"]],
    [
      "morning",
      { every: "hour", at: "24:00", timezone: "Mars/Olympus", to: ["a@b"] },
      ["every", "at", "timezone", "to[0]"],
    ],
    ["A%20B", daily(["sub_1", "maya@example.com", "sub_2"]), ["name", "to[0]", "to[1]", "to[2]"]],
    ["morning", daily(["a@example.com,b@example.com"]), ["to[0]"]],
    ["morning", daily(["a@example.com\r\nbcc: b@example.com"]), ["to[0]"]],
  ])("is refused: %s %j", async (name, body, fields) => {
    const org = await newSubscriber();
    const refused = await org.ask("PUT", `/digests/${name}`, body);
    expect(refused.status).toBe(422);
    expect(fieldsOf(refused)).toEqual(fields);
  });
});
