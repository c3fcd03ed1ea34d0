import * as z from "zod";
import { withRule } from "../../contract/field-rules.ts";
import { callerId } from "../../contract/ids.ts";
import { invalidField, isRefusal } from "../../contract/refusal.ts";
import { LEAST_HISTORY_DAYS } from "../../domain/forecast/forecast.ts";
import { SPENDING_SCOPES } from "../../contract/scopes.ts";
import { SCENARIOS } from "../../contract/lists.ts";
import {
  type BudgetExhaustion,
  exhaustionsOf,
  type ForecastMetric,
  type PlanAsk,
  type ScopeUsage,
} from "../../domain/forecast/budgets.ts";
import { FORECAST_METRICS } from "../../contract/lists.ts";
import { type Plan, planCapacity } from "../../domain/forecast/plan.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import type { OrgDoor } from "../../edge/object/org-door.ts";
import type { BudgetedScopes } from "../../org/forecasts/queries.ts";
import { decimalNumber, wholeNumber } from "../../contract/query-numbers.ts";
import { capacityForecasts } from "../../contract/resources/forecasts.ts";

/** How much of an isolate's time one request may use. */
const MOST_BUDGETED_SCOPES = 1000;

export const forecastCapacity = operation(
  {
    method: "GET",
    path: "/v1/capacity/forecasts",
    summary: "Forecast usage and when each budget is used up",
    description:
      "Forecasts from the organization's own daily totals: trend, weekday pattern and a range. `growth` assumes that capacity grows by `growth_rate` in 30 days and that usage follows with diminishing returns. `constrained` assumes no new capacity and no budget exceeded. Without `scenario`, all three are returned. For the organization, the response includes the day each of its budgets is used up; for one scope, only the budgets of that scope.",
    role: "viewer",
    scope: "forecasts:read",
    query: withRule(
      z.strictObject({
        metric: z.enum(FORECAST_METRICS).default("usd"),
        horizon_days: wholeNumber(7, 180).default(30),
        scenario: z.enum(SCENARIOS).optional(),
        growth_rate: decimalNumber(0, 10).default(0.1).meta({
          description: "By how much capacity grows in 30 days in the scenario `growth`: 0.1 is 10 %.",
        }),
        scope_kind: z.enum(SPENDING_SCOPES).default("org"),
        scope_id: callerId.optional(),
        budgets: z.enum(["all", "own"]).default("all").meta({
          description:
            "`own`: for the organization, only budgets of the whole organization. With many budgets this is much faster.",
        }),
      }),
      ({ scope_kind: kind, scope_id: id }, { complain, isWrong }) => {
        if (kind === undefined || isWrong("scope_id") || (kind === "org") === (id === undefined)) return;
        if (id === undefined) complain(["scope_id"], "required", "is required");
        else complain(["scope_id"], "invalid_value", "must be omitted for the scope kind org");
      },
    ),
    reply: { 200: capacityForecasts },
    refuses: [],
  },
  async (call) => {
    const { metric, horizon_days, scenario, growth_rate, scope_kind, scope_id, budgets } = call.query;
    const found = await call.org.query("forecastInputs", { scopeKind: scope_kind, scopeId: scope_id ?? "" });
    if (isRefusal(found)) return found;
    const inputs = found.body;
    const ask: PlanAsk = {
      metric,
      horizonDays: horizon_days,
      scenarios: scenario === undefined ? SCENARIOS : [scenario],
      growthRate: growth_rate,
    };
    const plans = planCapacity(inputs, ask);
    const returns = plans?.[0]?.returns;
    if (plans === null || returns === undefined) {
      const message = `requires ${LEAST_HISTORY_DAYS} days between the first and the last day with runs`;
      return invalidField("history", "out_of_range", message);
    }
    const exhaustion = ask.scenarios.map((): BudgetExhaustion[] => []);
    const usedUpIn = (scope: ScopeUsage) => {
      for (const [at, some] of exhaustionsOf(scope, inputs.now, ask, returns).entries()) {
        for (const one of some) exhaustion[at]?.push(one);
      }
    };
    if (scope_kind === "org" && budgets === "all") {
      const refusal = await eachBudgetedScope(call.org, usedUpIn);
      if (refusal !== null) return refusal;
    } else usedUpIn(inputs);
    return reply(200, { data: plans.map((plan, at) => toForecast(metric, plan, exhaustion[at] ?? [])) });
  },
);

/** For the whole org, every budget counts, whatever its scope. */
async function eachBudgetedScope(org: OrgDoor, visit: (scope: ScopeUsage) => void) {
  let after: BudgetedScopes["next"] = null;
  for (let seen = 0; seen < MOST_BUDGETED_SCOPES;) {
    const found = await org.query("budgetedScopes", { after });
    if (isRefusal(found)) return found;
    const page: BudgetedScopes = found.body;
    page.scopes.forEach(visit);
    if (page.next === null) return null;
    after = page.next;
    seen += page.scopes.length;
  }
  const message = `is required: more than ${MOST_BUDGETED_SCOPES} scopes have budgets, too many to forecast at once`;
  return invalidField("scope_id", "too_many", message);
}

function toForecast(metric: ForecastMetric, plan: Plan, exhaustion: readonly BudgetExhaustion[]) {
  const amount = (value: number) => toAmount(metric, value);
  return {
    scenario: plan.scenario,
    metric,
    method: plan.method,
    trained_on_days: plan.trainedOnDays,
    points: plan.points.map(({ date, p10, p50, p90 }) => ({
      date,
      p10: amount(p10),
      p50: amount(p50),
      p90: amount(p90),
    })),
    exhaustion: exhaustion
      .map(({ budgetId, p50Date, p90Date }) => ({
        budget_id: budgetId,
        p50_date: p50Date,
        p90_date: p90Date,
      }))
      .toSorted((one, other) => (one.budget_id < other.budget_id ? -1 : 1)),
    diminishing_returns: {
      exponent: plan.returns.exponent,
      source: plan.returns.source,
      curve: plan.curve.map((point) => ({ ...point, total: amount(point.total) })),
    },
  };
}

/** Rounded to millionths of a dollar, because an estimate is not exact to the nano-dollar. */
function toAmount(metric: ForecastMetric, value: number): string | number {
  return metric === "usd" ? formatUsd(BigInt(Math.round(value * 1e6)) * 1000n) : Math.round(value);
}
