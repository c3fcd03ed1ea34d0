import { describe, expect, test } from "vitest";
import { planCapacity, type PlanInputs } from "../../../src/domain/forecast/plan.ts";
import { dayOf } from "../../../src/domain/forecast/series.ts";
import { SCENARIOS } from "../../../src/domain/forecast/forecast.ts";

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
  scope: "org ",
  days: { "org ": steady(10), "workflow demo": steady(3), "workflow new": steady(3, 5) },
  teams: [],
  budgets: [],
  ...more,
});

const budget = (id: string, scope: string, leftUsd: number, period: "month" | "total" = "total") => ({
  id,
  scope,
  enforced: true,
  limitUsd: 1000,
  leftUsd,
  period,
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

  test("uses each budget up by its own scope's days, whatever the metric", () => {
    const budgets = [budget("bud_org", "org ", 35), budget("bud_demo", "workflow demo", 35)];
    for (const metric of ["usd", "runs", "tokens"] as const) {
      const [baseline] = planCapacity(inputs({ budgets }), { ...ASK, metric }) ?? [];
      expect(baseline?.exhaustion).toEqual([
        { budgetId: "bud_org", p50Date: "2026-07-18", p90Date: "2026-07-18" },
        { budgetId: "bud_demo", p50Date: "2026-07-26", p90Date: "2026-07-26" },
      ]);
    }
  });

  test("gives no day for a budget whose scope is too new, or whose period ends first", () => {
    const budgets = [budget("bud_new", "workflow new", 1), budget("bud_month", "org ", 200, "month")];
    const [baseline] = planCapacity(inputs({ budgets }), ASK) ?? [];
    expect(baseline?.exhaustion.map((one) => one.p50Date)).toEqual([null, null]);
  });

  test("under the constrained scenario stops where the budget does, in units of the metric", () => {
    const budgets = [budget("bud_org", "org ", 100)];
    const [constrained] =
      planCapacity(inputs({ budgets }), { ...ASK, metric: "runs", scenarios: ["constrained"] }) ?? [];
    const total = constrained?.points.reduce((sum, point) => sum + point.p50, 0) ?? 0;
    expect(total).toBeLessThanOrEqual(200);
    expect(constrained?.points.at(-1)?.p50).toBe(0);
  });

  test("of a scope with under two weeks is refused", () => {
    expect(planCapacity(inputs({ scope: "workflow new" }), ASK)).toBeNull();
    expect(planCapacity(inputs({ scope: "workflow none" }), ASK)).toBeNull();
  });
});
