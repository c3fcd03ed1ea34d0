import { windowAt, type Period } from "../period.ts";
import { type Allowance, exhaustionOf } from "./exhaustion.ts";
import {
  type Assumptions,
  type DatedBand,
  futures,
  historyOf,
  methodOf,
  type Outlook,
  outlookOf,
  pointsOf,
  type Scenario,
} from "./forecast.ts";
import { fitReturns, type Returns, type ReturnsPoint, returnsCurve } from "./returns.ts";
import { dayOf, type DayNumber } from "./series.ts";

export const FORECAST_METRICS = ["usd", "runs", "tokens"] as const;
export type ForecastMetric = (typeof FORECAST_METRICS)[number];

/** What one scope used on one day; dollars as a number, because a forecast is an estimate. */
export type DayUsage = { readonly day: DayNumber } & Readonly<Record<ForecastMetric, number>>;

export type BudgetState = {
  readonly id: string;
  /** Names the scope whose days the budget is used up by. */
  readonly scope: string;
  readonly enforced: boolean;
  readonly limitUsd: number;
  readonly leftUsd: number;
  readonly period: Period;
};

export type PlanInputs = {
  readonly now: number;
  /** The scope that was asked for. */
  readonly scope: string;
  /** Days of that scope, and of every scope that has a budget. */
  readonly days: Readonly<Record<string, readonly DayUsage[]>>;
  readonly teams: readonly { readonly day: DayNumber; readonly teams: number }[];
  readonly budgets: readonly BudgetState[];
};

export type PlanAsk = {
  readonly metric: ForecastMetric;
  readonly horizonDays: number;
  readonly scenarios: readonly Scenario[];
  readonly growthRate: number;
};

export type Plan = {
  readonly scenario: Scenario;
  readonly method: string;
  readonly trainedOnDays: number;
  readonly points: readonly DatedBand[];
  readonly exhaustion: readonly { budgetId: string; p50Date: string | null; p90Date: string | null }[];
  readonly returns: Returns;
  readonly curve: readonly ReturnsPoint[];
};

/** One plan for each scenario; null when the scope has under two weeks of history. */
export function planCapacity(inputs: PlanInputs, ask: PlanAsk): Plan[] | null {
  const today = dayOf(inputs.now);
  const asked = outlookFor(inputs, inputs.scope, ask.metric, ask.horizonDays);
  if (asked === null) return null;
  const inDollars = new Map<string, Outlook | null>();
  for (const { scope } of inputs.budgets) {
    if (!inDollars.has(scope)) inDollars.set(scope, outlookFor(inputs, scope, "usd", ask.horizonDays));
  }
  const returns = returnsOf(inputs, ask.metric);
  const baseline = { scenario: "baseline", growthRate: 0, returns, allowances: [] } as const;
  const total = pointsOf(asked, futures(asked, baseline)).reduce((sum, point) => sum + point.p50, 0);
  return ask.scenarios.map((scenario) => {
    const assume = (scope: string, perUnit: number): Assumptions => ({
      scenario,
      growthRate: ask.growthRate,
      returns,
      allowances: allowancesOf(inputs, scope, today, ask.horizonDays, perUnit),
    });
    const paths = futures(asked, assume(inputs.scope, usdPerUnit(inputs, ask.metric)));
    return {
      scenario,
      method: methodOf(asked),
      trainedOnDays: asked.history.series.values.length,
      points: pointsOf(asked, paths),
      exhaustion: inputs.budgets.map((budget) => {
        const outlook = inDollars.get(budget.scope) ?? null;
        if (outlook === null) return { budgetId: budget.id, p50Date: null, p90Date: null };
        const allowance = allowanceOf(budget, today, ask.horizonDays, 1);
        return {
          budgetId: budget.id,
          ...exhaustionOf(futures(outlook, assume(budget.scope, 1)), today, allowance),
        };
      }),
      returns,
      curve: returnsCurve(returns, total),
    };
  });
}

function outlookFor(
  inputs: PlanInputs,
  scope: string,
  metric: ForecastMetric,
  horizonDays: number,
): Outlook | null {
  const totals = (inputs.days[scope] ?? []).map((row) => ({ day: row.day, value: row[metric] }));
  const history = historyOf(totals, dayOf(inputs.now));
  return history === null ? null : outlookOf(history, horizonDays);
}

function returnsOf(inputs: PlanInputs, metric: ForecastMetric): Returns {
  const used = new Map((inputs.days[inputs.scope] ?? []).map((row) => [row.day, row[metric]]));
  return fitReturns(inputs.teams.map(({ day, teams }) => ({ teams, value: used.get(day) ?? 0 })));
}

/** What a unit of the metric has cost in the last four weeks: a limit in dollars is one in units, too. */
function usdPerUnit(inputs: PlanInputs, metric: ForecastMetric): number {
  const recent = (inputs.days[inputs.scope] ?? []).filter((row) => row.day > dayOf(inputs.now) - 28);
  const sum = (of: ForecastMetric) => recent.reduce((total, row) => total + row[of], 0);
  return sum(metric) === 0 ? 0 : sum("usd") / sum(metric);
}

function allowancesOf(
  inputs: PlanInputs,
  scope: string,
  today: DayNumber,
  horizonDays: number,
  perUnit: number,
): Allowance[] {
  if (perUnit === 0) return [];
  return inputs.budgets
    .filter((budget) => budget.enforced && budget.scope === scope)
    .map((budget) => allowanceOf(budget, today, horizonDays, perUnit));
}

const DAY_MS = 86_400_000;

function allowanceOf(budget: BudgetState, today: DayNumber, horizonDays: number, perUnit: number): Allowance {
  const resets: number[] = [];
  for (let ahead = 1; ahead <= horizonDays; ahead += 1) {
    const start = (today + ahead) * DAY_MS;
    if (budget.period !== "total" && windowAt(budget.period, start).startMs === start) resets.push(ahead);
  }
  return { limit: budget.limitUsd / perUnit, left: budget.leftUsd / perUnit, resets };
}
