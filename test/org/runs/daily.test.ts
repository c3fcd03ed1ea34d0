import { expect, test } from "vitest";
import { newSpender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";

test("daily sums are right for more customers than are remembered, and for those that come again", async () => {
  const org = await newSpender();
  const run = {
    started_at: new Date().toISOString(),
    model: "acme/m1",
    usage: { input_tokens: 2, output_tokens: 1 },
    cost_usd: "0.01",
  };
  const batch = (from: number) =>
    org.bulk(Array.from({ length: 1000 }, (_, index) => ({ ...run, customer_id: `c${from + index}` })));
  for (let from = 0; from < 11_000; from += 1000) expect((await batch(from)).body.accepted).toBe(1000);
  expect((await batch(0)).body.accepted).toBe(1000);
  expect((await batch(10_500)).body.accepted).toBe(1000);
  const sums = await rowsOf(
    org.id,
    `SELECT scope_kind AS kind, runs, COUNT(*) AS scopes, SUM(CAST(usd AS INTEGER)) AS usd, SUM(tokens) AS tokens
     FROM usage_daily GROUP BY scope_kind, runs ORDER BY scope_kind, runs`,
  );
  expect(sums).toEqual([
    { kind: "customer", runs: 1, scopes: 10_000, usd: 10_000 * 1e7, tokens: 30_000 },
    { kind: "customer", runs: 2, scopes: 1500, usd: 3000 * 1e7, tokens: 9000 },
    { kind: "model", runs: 13_000, scopes: 1, usd: 13_000 * 1e7, tokens: 39_000 },
    { kind: "org", runs: 13_000, scopes: 1, usd: 13_000 * 1e7, tokens: 39_000 },
  ]);
});
