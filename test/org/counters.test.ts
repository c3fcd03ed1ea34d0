import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { deliverySeries, HOLDS_EXPIRED_SERIES, shardOf } from "../../src/contract/metrics.ts";
import { readTotals } from "../../src/edge/object/counters.ts";
import { closeBatches, countSeries } from "../../src/org/kernel/counters/count.ts";
import { failing, newSubscriber, receiver } from "../support/receivers.ts";
import { rowsOf } from "../support/rows.ts";
import { call, env, newOrg, operatorKey } from "../support/worker.ts";
import { evict } from "../support/evict.ts";

async function total(series: string): Promise<number> {
  const totals = await readTotals(env.COUNTERS);
  return totals.filter((one) => one.series === series).reduce((sum, one) => sum + one.total, 0);
}

async function counting(orgId: string, series: string, times: number): Promise<void> {
  await runInDurableObject(env.ORG.getByName(orgId), async (_object, state) => {
    for (let time = 0; time < times; time += 1) countSeries(state.storage.sql, 0, series);
    await state.storage.setAlarm(Date.now() + 60_000);
  });
}

test("what an org's object counts reaches the shards when it falls due, once", async () => {
  const { id } = await newOrg();
  await counting(id, "test-reaches", 3);
  await evict(env.ORG.getByName(id));
  await runDurableObjectAlarm(env.ORG.getByName(id));
  expect(await total("test-reaches")).toBe(3);
  await counting(id, "test-reaches", 2);
  await runDurableObjectAlarm(env.ORG.getByName(id));
  await runDurableObjectAlarm(env.ORG.getByName(id));
  expect(await total("test-reaches")).toBe(5);
});

test("a batch that arrived before the object went down is not counted again, and later counts are", async () => {
  const { id } = await newOrg();
  await counting(id, "test-crash", 4);
  const batches = await runInDurableObject(env.ORG.getByName(id), (_object, state) =>
    state.storage.transactionSync(() => closeBatches(state.storage.sql)),
  );
  await env.COUNTERS.getByName(shardOf(id)).add(id, 1, batches);
  await evict(env.ORG.getByName(id));
  await counting(id, "test-crash", 1);
  await runDurableObjectAlarm(env.ORG.getByName(id));
  expect(await total("test-crash")).toBe(5);
});

/** Notes in the org's own database what its object counts from now on: the shards hold the sums of all orgs. */
async function watchCounts(orgId: string): Promise<() => Promise<Map<string, number>>> {
  await rowsOf(
    orgId,
    `CREATE TABLE test_counts (series TEXT, n INTEGER);
     CREATE TRIGGER test_inserted AFTER INSERT ON counted BEGIN INSERT INTO test_counts VALUES (new.series, new.n); END;
     CREATE TRIGGER test_updated AFTER UPDATE ON counted BEGIN INSERT INTO test_counts VALUES (new.series, new.n - old.n); END`,
  );
  const sums = "SELECT series, SUM(n) AS n FROM test_counts GROUP BY series";
  return async () => {
    const rows = await rowsOf<{ series: string; n: number }>(orgId, sums);
    return new Map(rows.map(({ series, n }) => [series, n]));
  };
}

test("each hold that expires is counted, and only those", async () => {
  const org = await newOrg({ environment: "test" });
  const key = await org.mint("developer");
  const counted = await watchCounts(org.id);
  const before = await total(HOLDS_EXPIRED_SERIES);
  for (const seconds of [60, 60, 3600]) {
    const body = { estimate: { cost_usd: "1" }, hold_seconds: seconds };
    expect((await call("POST", "/v1/edge/decision", { key, body })).status).toBe(200);
  }
  await call("POST", `/v1/admin/orgs/${org.id}/test-clock`, {
    key: operatorKey(),
    body: { advance_seconds: 120 },
  });
  expect((await counted()).get(HOLDS_EXPIRED_SERIES)).toBe(2);
  // In the shards, at least that much: holds of other tests may expire in the meantime.
  expect(await total(HOLDS_EXPIRED_SERIES)).toBeGreaterThanOrEqual(before + 2);
});

test("each attempt to deliver a webhook is counted by its outcome", async () => {
  const outcomes = ["succeeded", "retried", "gone", "exhausted"] as const;
  const before = await Promise.all(outcomes.map((outcome) => total(deliverySeries(outcome))));
  const org = await newSubscriber();
  const counted = await watchCounts(org.id);
  const { id } = await org.subscribe(receiver(failing(1)));
  await org.ask("POST", `/webhooks/${id}/test`);
  await org.settle();
  await org.advance(10);
  await org.settle();
  const own = await counted();
  expect(outcomes.map((outcome) => own.get(deliverySeries(outcome)) ?? 0)).toEqual([1, 1, 0, 0]);
  // In the shards, at least that much: webhooks of other tests may be retried in the meantime.
  const after = await Promise.all(outcomes.map((outcome) => total(deliverySeries(outcome))));
  for (const at of [0, 1]) expect(after[at]).toBeGreaterThan(before[at] ?? 0);
});
