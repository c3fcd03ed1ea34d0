import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";
import { env } from "../support/worker.ts";

/** Rows written are what the platform's bill is made of; `docs/operating.md` states these numbers. */
test("a run writes at most 18 rows alone, 21 under an idempotency key, and 3.2 in a bulk of a thousand", async () => {
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
  const run = {
    started_at: new Date().toISOString(),
    workflow_id: "w",
    department_id: "d",
    customer_id: "c",
    cost_usd: "0.01",
  };
  await org.run(run);
  await written();
  await org.run(run);
  const alone = await written();
  await org.run(run, { "idempotency-key": "k" });
  const keyed = await written();
  const usage = { input_tokens: 1, output_tokens: 1 };
  await org.bulk(Array.from({ length: 1000 }, () => ({ ...run, model: "acme/m1", usage })));
  const each = (await written()) / 1000;
  expect(alone).toBeGreaterThan(0);
  expect(alone).toBeLessThanOrEqual(18);
  expect(keyed).toBeLessThanOrEqual(21);
  expect(each).toBeLessThanOrEqual(3.2);
});
