import { expect, test, vi } from "vitest";
import { aRun, newSpender, type Spender } from "../../support/ledger.ts";
import { changesByTransaction } from "../../support/by-transaction.ts";
import { receiver, takeNetwork } from "../../support/receivers.ts";
import { rowsOf } from "../../support/rows.ts";
import { EVENT_ROWS } from "../../support/logs.ts";
import { PATIENT } from "../../support/patience.ts";

const WEBHOOKS = 50;
const RUNS = 1000;
/** The number of deliveries that are queued in one transaction. */
const AT_ONCE = 1500;

/**
 * An org in which every fact is over its limit, and webhooks whose receivers are down, so that their queues do not
 * move.
 */
async function overLimit(webhooks: number): Promise<Spender & { readonly hooks: readonly string[] }> {
  const org = await newSpender();
  await org.send("PUT", "spend-cap", { cap_usd: "0" });
  takeNetwork();
  const url = receiver(() => new Response("down", { status: 500 }));
  const hooks: string[] = [];
  for (let webhook = 0; webhook < webhooks; webhook += 1) {
    const made = await org.send("POST", "webhooks", { url, events: ["run.over_limit"] });
    expect(made.status).toBe(201);
    hooks.push(made.body.id as string);
  }
  return { ...org, hooks };
}

const facts = (count: number) => Array.from({ length: count }, () => aRun({ incurred: true }));

async function queued(org: Spender, where = "true"): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(
    org.id,
    `SELECT COUNT(*) AS n FROM webhook_deliveries WHERE ${where}`,
  );
  return row?.n ?? 0;
}

async function allQueued(org: Spender, deliveries: number): Promise<void> {
  await vi.waitUntil(async () => (await queued(org)) === deliveries, { ...PATIENT, interval: 100 });
}

test("events of a large batch are queued for many webhooks in bounded steps, in order for each", async () => {
  const org = await overLimit(WEBHOOKS);
  const steps = await changesByTransaction(
    org.id,
    "SELECT COALESCE(MAX(seq), 0) AS n FROM webhook_deliveries",
  );
  expect((await org.bulk(facts(RUNS))).body.accepted).toBe(RUNS);
  // A later event waits its turn, even if it is only one.
  expect((await org.run({ incurred: true })).status).toBe(201);
  await allQueued(org, WEBHOOKS * (RUNS + 1));
  for (const queuedAtOnce of steps) expect(queuedAtOnce).toBeLessThanOrEqual(AT_ONCE);
  const disorder = await rowsOf(
    org.id,
    `SELECT 1 FROM (
       SELECT e.seq AS event, LAG(e.seq) OVER (PARTITION BY d.subscription_id ORDER BY d.seq) AS before
       FROM webhook_deliveries AS d JOIN ${EVENT_ROWS} AS e ON e.id = d.event_id
     ) WHERE before >= event`,
  );
  expect(disorder).toEqual([]);
  expect(await rowsOf(org.id, "SELECT * FROM webhook_fan_outs")).toEqual([]);
}, 180_000);

test("events of refused runs are queued in bounded steps too, whether the batch is refused whole or not", async () => {
  const org = await newSpender();
  const deny = { target: "model", effect: "deny", when: "true", reason: "none" };
  expect((await org.send("POST", "policy-rules", deny)).status).toBe(201);
  takeNetwork();
  const url = receiver(() => new Response("down", { status: 500 }));
  for (let webhook = 0; webhook < WEBHOOKS; webhook += 1) {
    expect((await org.send("POST", "webhooks", { url, events: ["policy.*"] })).status).toBe(201);
  }
  const steps = await changesByTransaction(
    org.id,
    "SELECT COALESCE(MAX(seq), 0) AS n FROM webhook_deliveries",
  );
  const denied = Array.from({ length: 100 }, () => aRun());
  expect((await org.bulk([aRun({ incurred: true }), ...denied])).body).toMatchObject({
    accepted: 1,
    rejected: 100,
  });
  expect((await org.bulk(denied)).body.error.code).toBe("policy_blocked");
  await allQueued(org, WEBHOOKS * 200);
  for (const queuedAtOnce of steps) expect(queuedAtOnce).toBeLessThanOrEqual(AT_ONCE);
  expect(await org.events("policy.blocked")).toHaveLength(200);
}, 180_000);

test("a webhook that is deleted in between gets nothing, and the others get everything", async () => {
  const org = await overLimit(WEBHOOKS);
  const [, second] = org.hooks;
  expect((await org.bulk(facts(RUNS))).status).toBe(200);
  expect((await org.send("DELETE", `webhooks/${org.hooks.at(-1)}`)).status).toBe(204);
  await allQueued(org, (WEBHOOKS - 1) * RUNS);
  expect(await queued(org, `subscription_id = '${second}'`)).toBe(RUNS);
}, 180_000);

test("few events are queued with the change that caused them", async () => {
  const org = await overLimit(3);
  await org.bulk(facts(500));
  expect(await queued(org)).toBe(AT_ONCE);
  expect(await rowsOf(org.id, "SELECT * FROM webhook_fan_outs")).toEqual([]);
});
