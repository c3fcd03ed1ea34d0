import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { env } from "../support/worker.ts";

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

test("a run writes at most 16 rows alone, 19 with an idempotency key, and 0.02 in bulks of a thousand", async () => {
  const { org, written } = await watchedOrg();
  await org.run(RUN);
  await written();
  await org.run(RUN);
  const alone = await written();
  await org.run(RUN, { "idempotency-key": "k" });
  const keyed = await written();
  const usage = { input_tokens: 1, output_tokens: 1 };
  const batch = Array.from({ length: 1000 }, () => ({ ...RUN, model: "acme/m1", usage }));
  for (let sent = 0; sent < 50; sent += 1) await org.bulk(batch);
  const each = (await written()) / 50_000;
  expect(alone).toBeGreaterThan(0);
  expect(alone).toBeLessThanOrEqual(16);
  expect(keyed).toBeLessThanOrEqual(19);
  expect(each).toBeLessThanOrEqual(0.02);
});

test("a decision of the object writes at most 5 rows, and its end 2 in addition to those of its run", async () => {
  const { org, written } = await watchedOrg();
  await org.run(RUN);
  await org.decide("0.01", { customer_id: "c" });
  await written();
  const asked = await org.decide("0.01", { customer_id: "c" });
  expect(asked.headers.get("x-svc-decided")).toBe("object");
  const held = await written();
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThanOrEqual(5);
  await org.run({ ...RUN, reservation_id: asked.body.reservation.id });
  expect(await written()).toBeLessThanOrEqual(18);
});
