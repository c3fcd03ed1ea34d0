import type { CheckpointedSql } from "../../storage/transaction.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import type { TopGroup, UsageTop } from "../../contract/resources/usage/usage-top.ts";
import { asCount } from "../../domain/price/count.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { query } from "../kernel/door.ts";

interface TopAsk {
  readonly by: TopGroup;
  readonly limit: number;
  readonly from: string;
  /** Not included, like every end. */
  readonly to: string;
  readonly previousFrom: string;
  readonly previousTo: string;
}

/** Dollars and nano-dollars apart: the sum of many days may exceed 64 bits, and the runtime reads integers as doubles. */
type Columns = {
  dollars: number;
  nanos: number;
  runs: number;
  tokens: number;
  previous_dollars: number;
  previous_nanos: number;
  previous_runs: number;
};
type SumRow = Columns & { name: string };

interface Sum {
  readonly usd: bigint;
  readonly runs: number;
  readonly tokens: number;
  readonly previousUsd: bigint;
  readonly previousRuns: number;
}

const NANOS_PER_USD = 1_000_000_000n;
const nanosOf = (dollars: number, nanos: number) => BigInt(dollars) * NANOS_PER_USD + BigInt(nanos);

/** Names by what they spent, roughly, with the number of all of them and their runs. One quick pass over the days of the kind. */
const rankedNames = (sql: CheckpointedSql) => `WITH ranked AS (
    SELECT scope_id AS name, SUM(CAST(usd AS REAL)) AS about, SUM(runs) AS runs FROM ${DAILY_USAGE.in(sql)}
    WHERE scope_kind = ? AND day >= ? AND day < ? GROUP BY scope_id
  )
  SELECT name, COUNT(*) OVER () AS names, SUM(runs) OVER () AS all_runs FROM ranked
  ORDER BY about DESC, name LIMIT ?`;

/** Rough sums may be in another order than exact ones, but not by many places. */
const MORE_RANKED = 20;

/** Exact sums: of some names, each, or of all names of a kind as one. */
const sumsOf = (
  sql: CheckpointedSql,
  which: "each" | "all",
) => `SELECT ${which === "each" ? "scope_id" : "''"} AS name,
    IFNULL(SUM(is_now * (usd / 1000000000)), 0) AS dollars, IFNULL(SUM(is_now * (usd % 1000000000)), 0) AS nanos,
    IFNULL(SUM(is_now * runs), 0) AS runs, IFNULL(SUM(is_now * tokens), 0) AS tokens,
    IFNULL(SUM((1 - is_now) * (usd / 1000000000)), 0) AS previous_dollars,
    IFNULL(SUM((1 - is_now) * (usd % 1000000000)), 0) AS previous_nanos,
    IFNULL(SUM((1 - is_now) * runs), 0) AS previous_runs
  FROM (
    SELECT scope_id, CAST(usd AS INTEGER) AS usd, runs, tokens, day >= ?2 AS is_now FROM ${DAILY_USAGE.in(sql)}
    WHERE scope_kind = ?1 AND (day >= ?2 AND day < ?3 OR day >= ?4 AND day < ?5)
      ${which === "each" ? "AND scope_id IN (SELECT value FROM json_each(?6))" : ""}
  ) ${which === "each" ? "GROUP BY scope_id" : ""}`;

function toSum(row: Columns): Sum {
  return {
    usd: nanosOf(row.dollars, row.nanos),
    runs: row.runs,
    tokens: row.tokens,
    previousUsd: nanosOf(row.previous_dollars, row.previous_nanos),
    previousRuns: row.previous_runs,
  };
}

function minus(one: Sum, other: Sum): Sum {
  return {
    usd: one.usd - other.usd,
    runs: one.runs - other.runs,
    tokens: one.tokens - other.tokens,
    previousUsd: one.previousUsd - other.previousUsd,
    previousRuns: one.previousRuns - other.previousRuns,
  };
}

function figures(sum: Sum) {
  return {
    cost_usd: formatUsd(sum.usd),
    runs: asCount(sum.runs),
    tokens: asCount(sum.tokens),
    previous_cost_usd: formatUsd(sum.previousUsd),
    previous_runs: asCount(sum.previousRuns),
  };
}

type Ranked = { name: string; names: number; all_runs: number };

/** Who spent most, from the daily sums: never from the runs. */
export const topUsage = query({
  refuses: [],
  run(view, ask: TopAsk): UsageTop {
    const kind = ask.by === "model" ? "model" : ask.by.replace(/_id$/, "");
    const { from, to, previousFrom, previousTo, limit } = ask;
    const days = [from, to, previousFrom, previousTo];
    const sumAll = (of: string) => toSum(view.sql.exec<SumRow>(sumsOf(view.sql, "all"), of, ...days).one());
    const total = sumAll("org");
    const ranked = view.sql
      .exec<Ranked>(rankedNames(view.sql), kind, from, to, limit + MORE_RANKED)
      .toArray();
    const names = JSON.stringify(ranked.map(({ name }) => name));
    const data = view.sql
      .exec<SumRow>(sumsOf(view.sql, "each"), kind, ...days, names)
      .toArray()
      .map((row) => ({ name: row.name as string | null, sum: toSum(row) }));
    const hasUnnamed = total.runs > (ranked[0]?.all_runs ?? 0);
    if (hasUnnamed) data.push({ name: null, sum: minus(total, sumAll(kind)) });
    data.sort((one, other) => (one.sum.usd === other.sum.usd ? 0 : one.sum.usd > other.sum.usd ? -1 : 1));
    const top = data.slice(0, limit);
    return {
      by: ask.by,
      from,
      to,
      previous_from: previousFrom,
      previous_to: previousTo,
      groups: (ranked[0]?.names ?? 0) + (hasUnnamed ? 1 : 0),
      totals: figures(total),
      data: top.map(({ name, sum }) => ({ name, ...figures(sum) })),
      days: daysOf(view.sql, ask, kind, top),
    };
  },
});

type DayRow = { day: string; scope_kind: string; scope_id: string; usd: string; runs: number };

/** Each day that has runs, and the part of each name that is listed. */
function daysOf(
  sql: CheckpointedSql,
  { from, to }: TopAsk,
  kind: string,
  top: readonly { readonly name: string | null }[],
): UsageTop["days"] {
  const names = top.flatMap(({ name }) => name ?? []);
  const rows = sql.exec<DayRow>(
    `SELECT day, scope_kind, scope_id, usd, runs FROM ${DAILY_USAGE.in(sql)}
     WHERE day >= ?1 AND day < ?2 AND (scope_kind = 'org' AND scope_id = ''
       OR scope_kind = ?3 AND scope_id IN (SELECT value FROM json_each(?4)))
     ORDER BY day`,
    from,
    to,
    kind,
    JSON.stringify(names),
  );
  const days = new Map<string, { runs: number; usd: string; parts: { name: string; cost_usd: string }[] }>();
  for (const { day, scope_kind: of, scope_id: name, usd, runs } of rows) {
    const known = days.get(day) ?? { runs: 0, usd: "0", parts: [] };
    if (of === "org") days.set(day, { ...known, usd, runs });
    else {
      known.parts.push({ name, cost_usd: formatUsd(BigInt(usd)) });
      days.set(day, known);
    }
  }
  return [...days].map(([date, { usd, runs, parts }]) => ({
    date,
    cost_usd: formatUsd(BigInt(usd)),
    runs: asCount(runs),
    parts,
  }));
}
