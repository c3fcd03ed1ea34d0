import { expect, test } from "vitest";
import { type ChargedRun, chargesOf, ChargeSums } from "../../../src/domain/focus/charge.ts";
import { formatDecimal } from "../../../src/domain/focus/decimal.ts";

const run = (customer: string, cost_usd: string, started_at = "2026-11-15T02:00:00.000Z"): ChargedRun => ({
  started_at,
  model: "m",
  provider: null,
  tags: {},
  variant: null,
  usage: { input_tokens: 1, output_tokens: 2 },
  cost_usd,
  price_revision: null,
  cost_breakdown: null,
  customer_id: customer,
  workflow_id: null,
  deployment_id: null,
  department_id: null,
});

test("what is held is bounded, and sums stay exact", () => {
  const sums = new ChargeSums(3);
  const gone = [];
  for (let n = 0; n < 100; n += 1) {
    gone.push(...sums.add(chargesOf(run(`c${n % 7}`, "0.000000001"))));
  }
  gone.push(...sums.end());
  expect(gone.length).toBeGreaterThan(7);
  expect(gone.reduce((all, { nanos }) => all + nanos, 0n)).toBe(100n);
  expect(gone.reduce((all, { quantity }) => all + quantity, 0n)).toBe(300n);
});

test("charges of one kind are one row, and those of another day are another", () => {
  const sums = new ChargeSums();
  sums.add([run("c", "1"), run("c", "2"), run("c", "4", "2026-11-16T00:00:00.000Z")].flatMap(chargesOf));
  expect(sums.before(Date.parse("2026-11-16")).map(({ nanos }) => nanos)).toEqual([3_000_000_000n]);
  expect(sums.end().map(({ nanos }) => nanos)).toEqual([4_000_000_000n]);
});

test.each([
  [0n, 9, "0"],
  [1n, 9, "0.000000001"],
  [-1_250_000_000n, 9, "-1.25"],
  [70n, 0, "70"],
  [123_456_789_012_345_678_901_234n, 24, "0.123456789012345678901234"],
])("%s at scale %s is written as %s", (units, scale, text) => {
  expect(formatDecimal({ units, scale })).toBe(text);
});
