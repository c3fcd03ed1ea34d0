import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newSpender } from "../../support/ledger.ts";
import { HELD_MS, type HoldExtras, LeaseHolder } from "../../support/lease-holder.ts";
import { env } from "../../support/worker.ts";

/** The platform bills written rows. `docs/operating.md` states these numbers. */
async function watchedOrg() {
  const org = await newSpender();
  await org.send("POST", "budgets", {
    scope_kind: "org",
    limit_usd: "100000",
    period: "month",
    mode: "enforce",
  });
  await org.send("PUT", "spend-cap", { cap_usd: "100000" });
  const stub = env.ORG.getByName(org.id);
  const cursors: { rowsWritten: number }[] = [];
  await runInDurableObject(stub, (_object, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql);
    const counted = (...given: Parameters<typeof exec>) => {
      const cursor = exec(...given);
      cursors.push(cursor);
      return cursor;
    };
    Object.defineProperty(sql, "exec", { value: counted });
  });
  const written = () =>
    runInDurableObject(stub, () => cursors.splice(0).reduce((sum, cursor) => sum + cursor.rowsWritten, 0));
  return { org, written };
}

const RUN = {
  started_at: new Date().toISOString(),
  workflow_id: "w",
  department_id: "d",
  customer_id: "c",
  cost_usd: "0.01",
};

test("a run alone writes at most 1.35 rows with its checkpoints; in bulks of a thousand 0.02", async () => {
  const { org, written } = await watchedOrg();
  await org.run(RUN);
  await written();
  await org.run(RUN);
  const alone = await written();
  await org.run(RUN, { "idempotency-key": "k" });
  const keyed = await written();
  for (let sent = 0; sent < 98; sent += 1) await org.run(RUN);
  await org.send("GET", "budgets");
  const each = (alone + keyed + (await written())) / 100;
  expect([alone, keyed]).toEqual([1, 1]);
  expect(each).toBeGreaterThan(1);
  expect(each).toBeLessThanOrEqual(1.35);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const batch = Array.from({ length: 1000 }, () => ({ ...RUN, model: "acme/m1", usage }));
  for (let sent = 0; sent < 50; sent += 1) await org.bulk(batch);
  await org.send("GET", "budgets");
  expect((await written()) / 50_000).toBeLessThanOrEqual(0.02);
});

test("a decision of the object writes 1 row, and its end none beside those of its run", async () => {
  const { org, written } = await watchedOrg();
  await org.run(RUN);
  await org.decide("0.01", { customer_id: "c" });
  await org.send("GET", "budgets");
  await written();
  const asked = await org.decide("0.01", { customer_id: "c" });
  expect(asked.headers.get("x-svc-decided")).toBe("object");
  expect(await written()).toBe(1);
  await org.run({ ...RUN, reservation_id: asked.body.reservation.id });
  expect(await written()).toBe(1);
  await org.send("GET", "budgets");
  // The run, the hold, the event and the entry, each with others of its kind, the chain's head; once for all calls of a
  // checkpoint its mark, the counters of the limits, five sums of the day and the isolate's lease.
  expect(await written()).toBeLessThanOrEqual(17);
});

test("a reservation of an isolate writes no more rows where it is charged when it expires", async () => {
  const rowsFor = async (beside: HoldExtras) => {
    const { org, written } = await watchedOrg();
    const isolate = new LeaseHolder(org.id);
    await isolate.lease(10_000_000n);
    await written();
    for (let report = 0; report < 10; report += 1) {
      for (let made = 0; made < 100; made += 1) {
        expect(isolate.hold(100_000n, Date.now(), undefined, HELD_MS, beside)).not.toBeNull();
      }
      await isolate.report();
    }
    await org.send("GET", "budgets");
    return (await written()) / 1000;
  };
  const names = { model: "acme/m1", provider: "acme", workflow_id: "w", customer_id: "c", user_id: "u" };
  const call = { ...names, keyId: "key_01M7MTF9PJD8ZEM66CKJ71571D" };
  const plain = await rowsFor({});
  const charged = await rowsFor({ tokens: 17_000, inputTokens: 616, call });
  expect([plain, charged]).toEqual([expect.any(Number), plain]);
});

test("a read that the object counts writes 1 row, and makes no checkpoint", async () => {
  const { org, written } = await watchedOrg();
  await org.send("GET", "budgets");
  await written();
  await org.send("GET", "budgets");
  expect(await written()).toBe(1);
});

test("a report of an isolate writes one row for all that it brings, and no checkpoint", async () => {
  const { org, written } = await watchedOrg();
  const isolate = new LeaseHolder(org.id);
  await isolate.lease(10_000_000n);
  await written();
  const reports: number[] = [];
  for (let report = 0; report < 5; report += 1) {
    for (let made = 0; made < 20; made += 1) isolate.hold(100_000n, Date.now());
    await isolate.report();
    reports.push(await written());
  }
  // The first also plans when its reservations expire.
  expect(reports.slice(1)).toEqual([1, 1, 1, 1]);
});
