import type { ListQuery } from "../contract/list.ts";
import type { OrgCallRow } from "../contract/metrics.ts";
import type { OVERVIEW_SORTS, OverviewEntry } from "../contract/resources/admin-overview.ts";
import { formatUsd } from "../domain/price/money.ts";
import { database, type orgOverview, orgOverview as table } from "./database.ts";

/** The line that an org tells of itself. */
export type OverviewRecord = typeof orgOverview.$inferSelect;
export type OverviewSort = (typeof OVERVIEW_SORTS)[number];

/** An entry with what its list is sorted by. */
export interface RankedEntry {
  readonly entry: OverviewEntry;
  readonly rank: string | number;
}

/** As many digits as the largest 64-bit number has. */
export const SPENT_DIGITS = 19;

export async function tellOverview(d1: D1Database, record: OverviewRecord): Promise<void> {
  // An object that has just woken knows of no call yet.
  const { lastCallAt, ...always } = record;
  const set = lastCallAt === null ? always : record;
  await database(d1).insert(table).values(record).onConflictDoUpdate({ target: table.orgId, set });
}

type Row = {
  id: string;
  name: string;
  status: OverviewEntry["status"];
  plan: string;
  environment: OverviewEntry["environment"];
  home_region: string;
  spent: string;
  runs_used: number;
  runs_limit: number | null;
  tokens_used: number;
  tokens_limit: number | null;
  last_call_at: number | null;
  failing_webhooks: number;
  deprecated_callers: number;
  open_support_grants: number;
  told_at: number | null;
  calls: number;
  refusals: number;
  errors: number;
  slowest: number;
  rank: string | number;
};

/** Figures of an earlier month count nothing in this one. */
const THIS_MONTH = "v.month_ends_at > ?1";
const ofMonth = (column: string, none: string) => `iif(${THIS_MONTH}, v.${column}, ${none})`;
const SPENT = `coalesce(${ofMonth("spent", "NULL")}, '${"0".repeat(SPENT_DIGITS)}')`;
const USE = (part: string) =>
  `coalesce(CAST(${ofMonth(`${part}_used`, "0")} AS REAL) / nullif(v.${part}_limit, 0), -1)`;

const RANKS: Readonly<Record<OverviewSort, string>> = {
  month_to_date_usd: SPENT,
  plan_use: `max(${USE("runs")}, ${USE("tokens")})`,
  last_call_at: "coalesce(v.last_call_at, 0)",
  failing_webhooks: "coalesce(v.failing_webhooks, 0)",
  deprecated_callers: "coalesce(v.deprecated_callers, 0)",
  open_support_grants: "coalesce(v.open_support_grants, 0)",
  name: "o.name",
  calls_per_minute: "coalesce(b.calls, 0)",
  refusals: "coalesce(b.refusals, 0)",
  errors: "coalesce(b.errors, 0)",
  spend: SPENT,
  slowest: "coalesce(b.slowest, 0)",
};

/** One page of this region's orgs, in one statement. One entry more than the limit shows that there are more. */
export async function overviewPage(
  d1: D1Database,
  query: ListQuery,
  nowMs: number,
  busy: readonly OrgCallRow[],
): Promise<RankedEntry[]> {
  const rank = RANKS[query.sort.field as OverviewSort];
  const [beyond, order] = query.sort.descending ? ["<", "DESC"] : [">", "ASC"];
  const { after } = query;
  const where = after === null ? "" : `WHERE (rank ${beyond} ?4 OR (rank = ?4 AND id ${beyond} ?5))`;
  const statement = d1.prepare(
    `WITH busy AS MATERIALIZED (SELECT value ->> 0 AS id, value ->> 1 AS calls, value ->> 2 AS refusals,
       value ->> 3 AS errors, value ->> 5 AS slowest FROM json_each(?3))
     SELECT * FROM (
       SELECT o.id, o.name, o.status, o.plan, o.environment, o.home_region, ${SPENT} AS spent,
         ${ofMonth("runs_used", "0")} AS runs_used, v.runs_limit, ${ofMonth("tokens_used", "0")} AS tokens_used,
         v.tokens_limit, v.last_call_at, coalesce(v.failing_webhooks, 0) AS failing_webhooks,
         coalesce(v.deprecated_callers, 0) AS deprecated_callers,
         coalesce(v.open_support_grants, 0) AS open_support_grants, v.told_at,
         coalesce(b.calls, 0) AS calls, coalesce(b.refusals, 0) AS refusals, coalesce(b.errors, 0) AS errors,
         coalesce(b.slowest, 0) AS slowest,
         ${rank} AS rank
       FROM orgs AS o LEFT JOIN org_overview AS v ON v.org_id = o.id LEFT JOIN busy AS b ON b.id = o.id)
     ${where} ORDER BY rank ${order}, id ${order} LIMIT ?2`,
  );
  const bound = after === null ? [] : [after.value, after.id];
  const { results } = await statement.bind(nowMs, query.limit + 1, JSON.stringify(busy), ...bound).all<Row>();
  return results.map((row) => ({ entry: toEntry(row), rank: row.rank }));
}

function toEntry(row: Row): OverviewEntry {
  const uses = [useOf(row.runs_used, row.runs_limit), useOf(row.tokens_used, row.tokens_limit)];
  const known = uses.filter((use) => use !== null);
  return {
    org_id: row.id,
    name: row.name,
    status: row.status,
    plan: row.plan,
    environment: row.environment,
    home_region: row.home_region,
    month_to_date_usd: formatUsd(BigInt(row.spent)),
    runs_used: row.runs_used,
    runs_limit: row.runs_limit,
    tokens_used: row.tokens_used,
    tokens_limit: row.tokens_limit,
    plan_use: known.length === 0 ? null : Math.max(...known),
    last_call_at: moment(row.last_call_at),
    failing_webhooks: row.failing_webhooks,
    deprecated_callers: row.deprecated_callers,
    open_support_grants: row.open_support_grants,
    calls_per_minute: row.calls,
    refusals_per_minute: row.refusals,
    errors_per_minute: row.errors,
    slowest_wait_ms: row.slowest,
    last_hour: null,
    as_of: moment(row.told_at),
  };
}

function useOf(used: number, limit: number | null): number | null {
  return limit === null || limit === 0 ? null : used / limit;
}

function moment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
