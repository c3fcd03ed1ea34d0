import {
  allowancesOf,
  type DayUsage,
  type ForecastMetric,
  outlookFor,
  type PlanAsk,
  type ScopeUsage,
} from "./budgets.ts";
import { type DatedBand, simulateFutures, methodOf, pointsOf, type Scenario } from "./forecast.ts";
import { fitReturns, type Returns, type ReturnsPoint, returnsCurve } from "./returns.ts";
import { dayOf, type DayNumber } from "./series.ts";

/** The scope that was asked for. */
export type PlanInputs = ScopeUsage & {
  readonly now: number;
  /** How many teams were at work on each day, in the whole org. */
  readonly teams: readonly { readonly day: DayNumber; readonly teams: number }[];
};

export type Plan = {
  readonly scenario: Scenario;
  readonly method: string;
  readonly trainedOnDays: number;
  readonly points: readonly DatedBand[];
  readonly returns: Returns;
  readonly curve: readonly ReturnsPoint[];
};

/** One plan for each scenario. Null if the scope has less than two weeks of history. */
export function planCapacity(inputs: PlanInputs, ask: PlanAsk): Plan[] | null {
  const { now, days, budgets } = inputs;
  const { metric, horizonDays, growthRate } = ask;
  const outlook = outlookFor(days, now, metric, horizonDays);
  if (outlook === null) return null;
  const returns = returnsOf(inputs, metric);
  const baseline = { scenario: "baseline", growthRate: 0, returns, allowances: [] } as const;
  const total = pointsOf(outlook, simulateFutures(outlook, baseline)).reduce(
    (sum, point) => sum + point.p50,
    0,
  );
  const allowances = allowancesOf(budgets, dayOf(now), horizonDays, usdPerUnit(days, now, metric));
  return ask.scenarios.map((scenario) => ({
    scenario,
    method: methodOf(outlook),
    trainedOnDays: outlook.history.series.values.length,
    points: pointsOf(outlook, simulateFutures(outlook, { scenario, growthRate, returns, allowances })),
    returns,
    curve: returnsCurve(returns, total),
  }));
}

function returnsOf({ days, teams }: PlanInputs, metric: ForecastMetric): Returns {
  const used = new Map(days.map((row) => [row.day, row[metric]]));
  return fitReturns(teams.map((on) => ({ teams: on.teams, value: used.get(on.day) ?? 0 })));
}

/** The cost of a unit of the metric in the last four weeks. It converts a limit in dollars into units. */
function usdPerUnit(days: readonly DayUsage[], now: number, metric: ForecastMetric): number {
  const recent = days.filter((row) => row.day > dayOf(now) - 28);
  const sum = (of: ForecastMetric) => recent.reduce((total, row) => total + row[of], 0);
  return sum(metric) === 0 ? 0 : sum("usd") / sum(metric);
}
