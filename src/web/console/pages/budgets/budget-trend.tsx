import type { Child } from "hono/jsx";
import { DAY_MS } from "../../../../contract/durations.ts";
import type { Budget } from "../../../../contract/resources/budgets/budgets.ts";
import type { CapacityForecasts } from "../../../../contract/resources/forecasts.ts";
import type { UsageReport } from "../../../../contract/resources/usage/usage-report.ts";
import { type DayAmount, type ForecastPoint, SpendChart } from "../../view/charts.tsx";
import { day, formatMoment } from "../../view/format.ts";
import { runsAt } from "../../view/links.ts";
import { Card } from "../../view/parts.tsx";
import { dateOf } from "../../view/range.ts";
import { isUnread, TryAgain, whyUnread } from "../../view/unread.tsx";
import type { Visit } from "../../visit.ts";
import { type DaysAsk, daysAskOf } from "./budget-days.ts";

export const TREND_DAYS = 30;
const FORECAST_DAYS = 30;
const DRAWN_FORECAST_DAYS = 14;
const MOST_ROWS = 20_000;
const MOST_PARTS = 5;
const OTHER = "Other";
const NOT_TOLD_APART = "Its days cannot be drawn: it matches by more than reports tell apart.";

/** How a budget was used day by day, and when it is used up. */
export async function trendCard(visit: Visit, budget: Budget, read: Promise<Days | string>): Promise<Child> {
  const ask = daysAskOf(budget);
  const [days, before, ahead] = await Promise.all([
    read,
    ask?.isExact === true ? readBefore(visit, budget, ask) : NONE_BEFORE,
    readForecast(visit, budget),
  ]);
  const range = {
    from: dateOf(visit.nowMs - (TREND_DAYS - 1) * DAY_MS),
    to: dateOf(visit.nowMs + DAY_MS),
  };
  const filter = ask?.isExact === true ? ask.filter : { limit_id: budget.id };
  return (
    <Card title="Trend" note={<a href={runsAt(filter, range)}>Runs of these days</a>}>
      <p class="quiet">
        {outlook(budget, ahead)} {ahead.unread !== undefined && <TryAgain />}
      </p>
      {before.unread !== undefined && (
        <p class="quiet">
          {before.unread} <TryAgain />
        </p>
      )}
      {typeof days === "string" ? (
        <p class="quiet">
          {days} {days !== NOT_TOLD_APART && <TryAgain />}
        </p>
      ) : (
        <SpendChart
          {...days}
          before={before.days}
          forecast={ahead.points.slice(0, DRAWN_FORECAST_DAYS)}
          unit={budget.unit}
          hrefOf={(on) => runsAt(filter, { from: on, to: dateOf(Date.parse(on) + DAY_MS) })}
          cap={budget.period === "day" && budget.group_by.length === 0 ? String(budget.limit) : null}
        />
      )}
    </Card>
  );
}

export interface Days {
  readonly days: readonly DayAmount[];
  readonly parts: readonly string[];
}

/** The days, or why they cannot be drawn. */
export async function readDays(visit: Visit, budget: Budget): Promise<Days | string> {
  const ask = daysAskOf(budget);
  if (ask === null) return NOT_TOLD_APART;
  const asked = new URLSearchParams({
    ...ask.filter,
    group_by: ["day", ...ask.groups].join(","),
    from: dateOf(visit.nowMs - (TREND_DAYS - 1) * DAY_MS),
    to: dateOf(visit.nowMs + DAY_MS),
    limit: String(MOST_ROWS),
  });
  const answer = await visit.api.get<UsageReport>(`${visit.org}/usage/report?${asked}`);
  const { body } = answer;
  if (body === null) return whyUnread(answer);
  if (body.groups > body.data.length) return NOT_TOLD_APART;
  const amounts = new Map<string, Map<string, number>>();
  const totals = new Map<string, number>();
  for (const row of body.data.filter(ask.isOwn)) {
    const part = ask.dividedBy === null ? "" : String(row[ask.dividedBy] ?? "None");
    const amount = Number(budget.unit === "usd" ? row.cost_usd : row[budget.unit]);
    const date = String(row["day"]);
    const own = amounts.get(date) ?? new Map<string, number>();
    amounts.set(date, own.set(part, (own.get(part) ?? 0) + amount));
    totals.set(part, (totals.get(part) ?? 0) + amount);
  }
  const parts = partsOf(totals, ask);
  const days = Array.from({ length: TREND_DAYS }, (_, index) => {
    const date = dateOf(visit.nowMs - (TREND_DAYS - 1 - index) * DAY_MS);
    return dayOf(date, amounts.get(date) ?? new Map(), parts);
  });
  return { days, parts };
}

interface Before {
  /** Why they cannot be drawn. */
  readonly unread?: string;
  readonly days: readonly DayAmount[];
}

const NONE_BEFORE: Before = { days: [] };

/** As many days before those, in total. Empty if nothing was spent. */
async function readBefore(visit: Visit, budget: Budget, ask: DaysAsk): Promise<Before> {
  const dateAt = (index: number) => dateOf(visit.nowMs - (2 * TREND_DAYS - 1 - index) * DAY_MS);
  const range = { from: dateAt(0), to: dateAt(TREND_DAYS) };
  const asked = new URLSearchParams({ ...ask.filter, group_by: "day", ...range });
  const answer = await visit.api.get<UsageReport>(`${visit.org}/usage/report?${asked}`);
  const { body } = answer;
  if (body === null) return { days: [], unread: whyUnread(answer) };
  if (body.totals.runs === 0) return NONE_BEFORE;
  const known = new Map(body.data.map((row) => [String(row["day"]), row]));
  const days = Array.from({ length: TREND_DAYS }, (_, index) => {
    const row = known.get(dateAt(index));
    const amount = budget.unit === "usd" ? row?.cost_usd : row?.[budget.unit];
    return { date: dateAt(index), amount: String(amount ?? "0.00") };
  });
  return { days };
}

/** The largest, and all others as one. */
function partsOf(totals: ReadonlyMap<string, number>, { dividedBy }: DaysAsk): readonly string[] {
  if (dividedBy === null) return [];
  const names = [...totals].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  return names.length > MOST_PARTS ? [...names.slice(0, MOST_PARTS), OTHER] : names;
}

function dayOf(date: string, amounts: ReadonlyMap<string, number>, parts: readonly string[]): DayAmount {
  const total = [...amounts.values()].reduce((sum, some) => sum + some, 0);
  if (parts.length === 0) return { date, amount: total.toFixed(6) };
  const named = parts.reduce((sum, name) => sum + (amounts.get(name) ?? 0), 0);
  const amountOf = (name: string) => (name === OTHER ? Math.max(0, total - named) : (amounts.get(name) ?? 0));
  return {
    date,
    amount: total.toFixed(6),
    parts: parts.map((name) => ({ name, amount: amountOf(name).toFixed(6) })),
  };
}

interface Ahead {
  /** Why there is none to show. */
  readonly unread?: string;
  readonly points: readonly ForecastPoint[];
  /** When it is used up. Null: there is no forecast. */
  readonly usedUp: { readonly p50_date: string | null; readonly p90_date: string | null } | null;
}

/** A scope has a forecast of its own. A budget that matches calls by more is among the budgets of the organization. */
async function readForecast(visit: Visit, budget: Budget): Promise<Ahead> {
  const isScope = budget.match === null;
  const scope: Record<string, string> =
    budget.scope_id === null || !isScope
      ? { scope_kind: "org", budgets: isScope ? "own" : "all" }
      : { scope_kind: budget.scope_kind, scope_id: budget.scope_id };
  const asked = { horizon_days: String(FORECAST_DAYS), scenario: "baseline", metric: budget.unit, ...scope };
  const answer = await visit.api.get<CapacityForecasts>(
    `/v1/capacity/forecasts?${new URLSearchParams(asked)}`,
  );
  if (isUnread(answer)) return { points: [], usedUp: null, unread: whyUnread(answer) };
  const plan = answer.body?.data[0];
  if (plan === undefined) return { points: [], usedUp: null };
  const usedUp = plan.exhaustion.find(({ budget_id }) => budget_id === budget.id) ?? null;
  const points = plan.points.map(({ date, p10, p50, p90 }) => ({
    date,
    p10: Number(p10),
    p50: Number(p50),
    p90: Number(p90),
  }));
  return { points: isScope ? points : [], usedUp };
}

function outlook(budget: Budget, { points, usedUp, unread }: Ahead): string {
  const resets = budget.period_end === null ? "" : ` It starts again on ${formatMoment(budget.period_end)}.`;
  if (budget.available !== null && Number(budget.available) <= 0) return `It is used up.${resets}`;
  if (unread !== undefined) return unread;
  if (usedUp === null) {
    return budget.unit === "usd" && points.length === 0
      ? "There is no forecast yet: it needs two weeks of runs."
      : `There is no forecast of a budget that counts ${budget.unit}.`;
  }
  const { p50_date: median, p90_date: high } = usedUp;
  const it = budget.group_by.length > 0 ? "the fullest counter" : "it";
  if (median === null && high === null) {
    return `By the forecast ${it} is not used up within ${FORECAST_DAYS} days.`;
  }
  if (median === null)
    return `By the forecast ${it} lasts; at high usage it is used up on ${day(high ?? "")}.`;
  const early = high === null || high === median ? "" : `, at high usage on ${day(high)}`;
  return `By the forecast ${it} is used up on ${day(median)}${early}.`;
}
