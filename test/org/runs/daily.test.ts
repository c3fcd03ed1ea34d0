import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Account } from "../../../src/domain/meter/meter.ts";
import { runOf } from "../../../src/org/runs/run-of.ts";
import { Sums } from "../../../src/org/runs/sums.ts";
import { newSpender } from "../../support/ledger.ts";
import { rowsOf } from "../../support/rows.ts";

test("daily sums are right for more customers than are cached, and for those that come back", async () => {
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

test("daily sums of a batch equal those of its runs, by day, model and scope", async () => {
  const name = fc.constantFrom("a", "b", undefined);
  const runs = fc.array(
    fc.record(
      {
        model: fc.constantFrom("m1", "m2"),
        started_at: fc.constantFrom("2026-11-01T23:59:59Z", "2026-11-02T00:00:00Z"),
        department_id: name,
        customer_id: name,
        cents: fc.integer({ min: 0, max: 500 }),
        tokens: fc.nat(50),
        incurred: fc.constantFrom(true, undefined),
      },
      { requiredKeys: ["model", "started_at", "cents", "tokens"] },
    ),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(runs, { minLength: 1, maxLength: 3 }), async (batches) => {
      const org = await newSpender();
      for (const batch of batches) {
        const sent = batch.map(({ cents, tokens, ...run }) => ({
          ...run,
          cost_usd: (cents / 100).toFixed(2),
          usage: { input_tokens: tokens, output_tokens: 1 },
        }));
        expect((await org.bulk(sent)).body.accepted).toBe(batch.length);
      }
      const expected = new Map<string, [usd: bigint, runs: number, tokens: number]>();
      for (const run of batches.flat()) {
        const scopes = [
          ["org", ""],
          ["model", run.model],
          ["department", run.department_id],
          ["customer", run.customer_id],
        ];
        for (const [kind, id] of scopes) {
          if (id === undefined) continue;
          const key = `${run.started_at.slice(0, 10)} ${kind} ${id}`;
          const [usd, count, tokens] = expected.get(key) ?? [0n, 0, 0];
          expected.set(key, [usd + BigInt(run.cents) * 10_000_000n, count + 1, tokens + run.tokens + 1]);
        }
      }
      const rows = await rowsOf<{ key: string; usd: string; runs: number; tokens: number }>(
        org.id,
        "SELECT day || ' ' || scope_kind || ' ' || scope_id AS key, usd, runs, tokens FROM usage_daily",
      );
      const stored = rows.map(
        ({ key, usd, runs: count, tokens }) => [key, [BigInt(usd), count, tokens]] as const,
      );
      expect(new Map(stored)).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

test("sums of runs that touch the same limits keep customers apart", () => {
  const sums = new Sums();
  const accounts: readonly Account[] = [];
  const add = (customer_id: string | undefined, usd: bigint) => {
    const input = {
      started_at: "2026-11-15T02:00:00Z",
      model: "m",
      usage: { input_tokens: 1, output_tokens: 1 },
      ...(customer_id === undefined ? {} : { customer_id }),
    };
    const stored = {
      id: "r",
      keyId: null,
      chargedAt: 1,
      recordedAt: 1,
      depth: 0,
      cost: usd,
      charges: "",
      extra: null,
    };
    sums.add(runOf(input, stored), accounts);
  };
  for (const [customer, usd] of [
    ["a", 1n],
    ["b", 10n],
    ["a", 2n],
    [undefined, 100n],
    ["b", 20n],
  ] as const) {
    add(customer, usd);
  }
  const found = Array.from(sums, ({ run, usd, runs, tokens }) => [run.customerId, usd, runs, tokens]);
  expect(found).toEqual([
    ["a", 3n, 2, 4],
    ["b", 30n, 2, 4],
    [null, 100n, 1, 2],
  ]);
  expect([...sums.attempts()]).toEqual([[accounts, { nanos: 133n, tokens: 10, depth: 0, runs: 5 }]]);
});
