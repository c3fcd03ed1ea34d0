import { describe, expect, test } from "vitest";
import { exhaustionsOf } from "../../../src/domain/forecast/budgets.ts";
import { planCapacity, type PlanInputs } from "../../../src/domain/forecast/plan.ts";
import { dayOf } from "../../../src/domain/forecast/series.ts";
import { SCENARIOS } from "../../../src/contract/lists.ts";

const NOW = Date.UTC(2026, 6, 15, 9);
const TODAY = dayOf(NOW);
const ASK = { metric: "usd", horizonDays: 30, scenarios: SCENARIOS, growthRate: 0.5 } as const;

const steady = (usd: number, days = 60) =>
  Array.from({ length: days }, (_, index) => ({
    day: TODAY - days + index,
    usd,
    runs: usd * 2,
    tokens: 100,
  }));

const inputs = (more: Partial<PlanInputs> = {}): PlanInputs => ({
  now: NOW,
  days: steady(10),
  teams: [],
  budgets: [],
  ...more,
});

const RETURNS = { exponent: 1, source: "assumed" } as const;

const budget = (id: string, leftUsd: number, period: "month" | "total" = "total") => ({
  id,
  enforced: true,
  limitUsd: 1000,
  leftUsd,
  window: { kind: "period" as const, period },
});

describe("a capacity plan", () => {
  test("has one entry for each scenario asked for, growth above baseline", () => {
    const [baseline, growth, constrained] = planCapacity(inputs(), ASK) ?? [];
    const last = (plan: typeof baseline) => plan?.points.at(-1)?.p50 ?? 0;
    expect(last(baseline)).toBeCloseTo(10, 6);
    expect(last(growth)).toBeGreaterThan(last(baseline));
    expect(last(constrained)).toBeLessThanOrEqual(last(baseline));
    expect(planCapacity(inputs(), { ...ASK, scenarios: ["growth"] })).toHaveLength(1);
  });

  test("uses up each budget by the days of its own scope in dollars, whatever the metric", () => {
    for (const metric of ["usd", "runs", "tokens"] as const) {
      const [inOrg] = exhaustionsOf(
        { days: steady(10), budgets: [budget("bud_a", 35), budget("bud_b", 105)] },
        NOW,
        { ...ASK, metric },
        RETURNS,
      );
      expect(inOrg).toEqual([
        { budgetId: "bud_a", p50Date: "2026-07-18", p90Date: "2026-07-18" },
        { budgetId: "bud_b", p50Date: "2026-07-25", p90Date: "2026-07-25" },
      ]);
      const demo = { days: steady(3), budgets: [budget("bud_demo", 35)] };
      const [inDemo] = exhaustionsOf(demo, NOW, { ...ASK, metric }, RETURNS);
      expect(inDemo).toEqual([{ budgetId: "bud_demo", p50Date: "2026-07-26", p90Date: "2026-07-26" }]);
    }
  });

  test("gives no day for a budget whose scope is too new, or whose period ends first", () => {
    const dates = (days: number, of: ReturnType<typeof budget>) =>
      exhaustionsOf({ days: steady(10, days), budgets: [of] }, NOW, ASK, RETURNS)[0]?.map(
        (one) => one.p50Date,
      );
    expect(dates(5, budget("bud_new", 1))).toEqual([null]);
    expect(dates(60, budget("bud_month", 200, "month"))).toEqual([null]);
  });

  test("under the constrained scenario stops where the budget does, in units of the metric", () => {
    const budgets = [budget("bud_org", 100)];
    const [constrained] =
      planCapacity(inputs({ budgets }), { ...ASK, metric: "runs", scenarios: ["constrained"] }) ?? [];
    const total = constrained?.points.reduce((sum, point) => sum + point.p50, 0) ?? 0;
    expect(total).toBeLessThanOrEqual(200);
    expect(constrained?.points.at(-1)?.p50).toBe(0);
  });

  test("of a scope with less than two weeks of history is refused", () => {
    expect(planCapacity(inputs({ days: steady(3, 5) }), ASK)).toBeNull();
    expect(planCapacity(inputs({ days: [] }), ASK)).toBeNull();
  });
});
