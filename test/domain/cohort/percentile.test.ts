import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { COHORT_METRICS } from "../../../src/contract/lists.ts";
import { metricOf, percentilesOf } from "../../../src/domain/cohort/percentile.ts";
import { monthOf, nextMonth, previousMonth } from "../../../src/domain/cohort/month.ts";

describe("percentiles", () => {
  test("of ten evenly spread values", () => {
    expect(percentilesOf([10, 9, 8, 7, 6, 5, 4, 3, 2, 1])).toEqual({ p25: 3.25, p50: 5.5, p75: 7.75 });
  });

  test("are ordered and lie within the values, to three digits", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: 5 }), (values) => {
        const { p25, p50, p75 } = percentilesOf(values);
        expect(p25).toBeLessThanOrEqual(p50);
        expect(p50).toBeLessThanOrEqual(p75);
        expect(p25).toBeGreaterThanOrEqual(Math.min(...values) * 0.995);
        expect(p75).toBeLessThanOrEqual(Math.max(...values) * 1.005);
      }),
    );
  });

  test("never show one org's exact value if it has more than three digits", () => {
    expect(percentilesOf([1, 2, 123_456, 300_000, 400_000]).p50).toBe(123_000);
  });
});

describe("a month's metric", () => {
  test("is per run, per run and per day", () => {
    const figures = { runs: 60, tokens: 6_000, costNano: 30_000_000_000n, days: 30 };
    expect(COHORT_METRICS.map((metric) => metricOf(metric, figures))).toEqual([500_000_000, 100, 2]);
  });

  test("per run is absent without runs, and runs per day are zero", () => {
    const idle = { runs: 0, tokens: 0, costNano: 0n, days: 30 };
    expect(COHORT_METRICS.map((metric) => metricOf(metric, idle))).toEqual([null, null, 0]);
  });
});

test("months continue across the end of the year", () => {
  expect(nextMonth("2026-12")).toBe("2027-01");
  expect(previousMonth("2027-01")).toBe("2026-12");
  expect(monthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toBe("2026-12");
});
