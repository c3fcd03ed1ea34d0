import type { Child } from "hono/jsx";
import { DAY_MS } from "../../../contract/durations.ts";
import type { AuditEntry } from "../../../contract/resources/audit-log.ts";
import type { Budget } from "../../../contract/resources/budgets.ts";
import type { CapacityForecasts } from "../../../contract/resources/forecasts.ts";
import type { KeptRefusal } from "../../../contract/resources/refusals.ts";
import type { UsageReport } from "../../../contract/resources/usage-report.ts";
import { type NameOf, readNames } from "../names.ts";
import { scopeFilter } from "../view/behind.ts";
import { SpendChart } from "../view/charts.tsx";
import { day, moment } from "../view/format.ts";
import { refusalsAt, runsAt } from "../view/links.ts";
import { Card } from "../view/parts.tsx";
import { dateOf } from "../view/range.ts";
import { Ref } from "../view/ref.tsx";
import { type Column, Table } from "../view/table.tsx";
import type { Ask, ListOf, Visit } from "../visit.ts";
import { RefusalTable } from "./refusals.tsx";

const TREND_DAYS = 30;
const FORECAST_DAYS = 30;
const SHOWN_REFUSALS = 5;
const SHOWN_CHANGES = 10;

/** How a budget was used, how it goes on, what it refused and who changed it. */
export async function budgetHistory(visit: Visit, _ask: Ask, budget: Budget): Promise<Child> {
  const target = new URLSearchParams({ target: budget.id, limit: String(SHOWN_CHANGES) });
  const refusedBy = new URLSearchParams({ limit_id: budget.id, limit: String(SHOWN_REFUSALS) });
  const [trend, refusals, changes] = await Promise.all([
    trendCard(visit, budget),
    visit.api.get<ListOf<KeptRefusal>>(`${visit.org}/refusals?${refusedBy}`),
    visit.api.get<ListOf<AuditEntry>>(`${visit.org}/audit-log?${target}`),
  ]);
  const refused = refusals.body?.data ?? [];
  const nameOf = await readNames(visit, [
    ...refused.flatMap(({ limit, key_id }) => [limit, key_id]),
    ...(changes.body?.data ?? []).map(({ actor }) => actor.id),
  ]);
  return (
    <>
      {trend}
      <Card title="Refused" note={<a href={refusalsAt({ limit_id: budget.id })}>All refusals</a>} bare>
        {refused.length === 0 ? (
          <p class="note-line">This budget has refused nothing lately.</p>
        ) : (
          <RefusalTable rows={refused} nameOf={nameOf} />
        )}
      </Card>
      <Card title="Changes" note={<a href={`/console/audit?${target}`}>Audit trail</a>} bare>
        <Table label="Changes" columns={changed(nameOf)} rows={changes.body?.data ?? []} />
      </Card>
    </>
  );
}

const changed = (nameOf: NameOf): readonly Column<AuditEntry>[] => [
  { title: "What", cell: ({ action }) => <strong>{action}</strong> },
  { title: "When", kind: "moment", cell: ({ created_at }) => moment(created_at) },
  { title: "Who", cell: ({ actor }) => <Ref id={actor.id} nameOf={nameOf} /> },
  { title: "Details", cell: ({ detail }) => <code>{JSON.stringify(detail)}</code> },
];

async function trendCard(visit: Visit, budget: Budget): Promise<Child> {
  // What matches calls by other names than a scope has no daily sums of its own.
  const filter = scopeFilter(budget.scope_kind, budget.scope_id);
  if (filter === null) return null;
  const from = dateOf(visit.nowMs - (TREND_DAYS - 1) * DAY_MS);
  const to = dateOf(visit.nowMs + DAY_MS);
  const scope: Record<string, string> =
    budget.scope_id === null
      ? { scope_kind: "org", budgets: "own" }
      : { scope_kind: budget.scope_kind, scope_id: budget.scope_id };
  const ahead = new URLSearchParams({ horizon_days: String(FORECAST_DAYS), scenario: "baseline", ...scope });
  const [report, forecast] = await Promise.all([
    visit.api.get<UsageReport>(
      `${visit.org}/usage/report?${new URLSearchParams({ ...filter, group_by: "day", from, to })}`,
    ),
    visit.api.get<CapacityForecasts>(`/v1/capacity/forecasts?${ahead}`),
  ]);
  const spent = new Map(report.body?.data.map((row) => [String(row["day"]), row.cost_usd]));
  const days = Array.from({ length: TREND_DAYS }, (_, index) => {
    const date = dateOf(visit.nowMs - (TREND_DAYS - 1 - index) * DAY_MS);
    return { date, usd: spent.get(date) ?? "0.00" };
  });
  const plan = forecast.body?.data[0];
  const points = (plan?.points ?? []).map(({ date, p10, p50, p90 }) => ({
    date,
    p10: Number(p10),
    p50: Number(p50),
    p90: Number(p90),
  }));
  const date = plan?.exhaustion.find(({ budget_id }) => budget_id === budget.id);
  return (
    <Card title="Trend" note={<a href={runsAt(filter, { from, to })}>Runs of these days</a>}>
      <p class="quiet">
        {budget.available !== null && Number(budget.available) <= 0
          ? `It is used up${budget.period_end === null ? "" : ` until ${moment(budget.period_end)}`}.`
          : outlook(plan === undefined, date?.p50_date ?? null, date?.p90_date ?? null)}
      </p>
      <SpendChart
        days={days}
        forecast={points.slice(0, 14)}
        hrefOf={(on) => runsAt(filter, { from: on, to: dateOf(Date.parse(on) + DAY_MS) })}
        cap={budget.period === "day" ? budget.limit_usd : null}
      />
    </Card>
  );
}

function outlook(isUnknown: boolean, median: string | null, high: string | null): string {
  if (isUnknown) return "There is no forecast yet: it needs two weeks of runs.";
  if (median === null && high === null) {
    return `By the forecast it is not used up within ${FORECAST_DAYS} days.`;
  }
  if (median === null) return `By the forecast it lasts; at high usage it is used up on ${day(high ?? "")}.`;
  const early = high === null || high === median ? "" : `, at high usage on ${day(high)}`;
  return `By the forecast it is used up on ${day(median)}${early}.`;
}
