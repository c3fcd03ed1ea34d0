import { DAY_MS } from "../../contract/durations.ts";
import type { FORECAST_METRICS } from "../../contract/lists.ts";
import { type MeterWindow, windowOf } from "../meter/meter.ts";
import { type Allowance, type Exhaustion, exhaustionOf } from "./exhaustion.ts";
import {
  type Assumptions,
  simulateFutures,
  historyOf,
  type Outlook,
  outlookOf,
  type Scenario,
} from "./forecast.ts";
import type { Returns } from "./returns.ts";
import { dayOf, type DayNumber } from "./series.ts";

export type ForecastMetric = (typeof FORECAST_METRICS)[number];

/** The usage of one scope on one day. Dollars are a number, because a forecast is an estimate. */
export type DayUsage = { readonly day: DayNumber } & Readonly<Record<ForecastMetric, number>>;

export type BudgetState = {
  readonly id: string;
  readonly enforced: boolean;
  readonly limitUsd: number;
  readonly leftUsd: number;
  readonly window: MeterWindow;
};

/** One scope: its days, and all budgets that they use up. */
export type ScopeUsage = { readonly days: readonly DayUsage[]; readonly budgets: readonly BudgetState[] };

export type PlanAsk = {
  readonly metric: ForecastMetric;
  readonly horizonDays: number;
  readonly scenarios: readonly Scenario[];
  readonly growthRate: number;
};

export type BudgetExhaustion = Exhaustion & { readonly budgetId: string };

/** The day on which each budget of a scope is used up, for each scenario. Always in dollars, whatever is forecast. */
export function exhaustionsOf(
  scope: ScopeUsage,
  now: number,
  ask: PlanAsk,
  returns: Returns,
): BudgetExhaustion[][] {
  const outlook = outlookFor(scope.days, now, "usd", ask.horizonDays);
  const today = dayOf(now);
  return ask.scenarios.map((scenario) => {
    if (outlook === null) {
      return scope.budgets.map(({ id }) => ({ budgetId: id, p50Date: null, p90Date: null }));
    }
    const { horizonDays, growthRate } = ask;
    const assume: Assumptions = {
      scenario,
      growthRate,
      returns,
      allowances: allowancesOf(scope.budgets, today, horizonDays, 1),
    };
    const paths = simulateFutures(outlook, assume);
    return scope.budgets.map((budget) => ({
      budgetId: budget.id,
      ...exhaustionOf(paths, today, allowanceOf(budget, today, horizonDays, 1)),
    }));
  });
}

export function outlookFor(
  days: readonly DayUsage[],
  now: number,
  metric: ForecastMetric,
  horizonDays: number,
): Outlook | null {
  const totals = days.map((row) => ({ day: row.day, value: row[metric] }));
  const history = historyOf(totals, dayOf(now));
  return history === null ? null : outlookOf(history, horizonDays);
}

/** The amounts that the constrained scenario must not exceed. A unit of the metric costs `perUnit` dollars. */
export function allowancesOf(
  budgets: readonly BudgetState[],
  today: DayNumber,
  horizonDays: number,
  perUnit: number,
): Allowance[] {
  if (perUnit === 0) return [];
  return budgets
    .filter((budget) => budget.enforced)
    .map((budget) => allowanceOf(budget, today, horizonDays, perUnit));
}

function allowanceOf(budget: BudgetState, today: DayNumber, horizonDays: number, perUnit: number): Allowance {
  const resets: number[] = [];
  for (let ahead = 1; ahead <= horizonDays; ahead += 1) {
    const [start, end] = [(today + ahead) * DAY_MS, (today + ahead + 1) * DAY_MS];
    // A day of UTC in which a new period begins, whatever its time zone.
    const { startMs, endMs } = windowOf(budget, end - 1);
    if (endMs !== null && startMs >= start && startMs < end) resets.push(ahead);
  }
  return { limit: budget.limitUsd / perUnit, left: budget.leftUsd / perUnit, resets };
}
