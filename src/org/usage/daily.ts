import { readRows } from "../../storage/read-rows.ts";
import type { CheckpointedSql } from "../../storage/transaction.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import { StretchFinder } from "../../domain/usage-report/ask.ts";
import type { DailyAsk } from "../../domain/usage-report/daily.ts";
import { type GroupRow, GroupSums } from "../../domain/usage-report/sums.ts";
import { readTokens } from "../../domain/usage-report/token-counts.ts";
import { FORECAST_MEMORY_DAYS } from "../../domain/run/retention.ts";
import { DAY_MS } from "../../contract/durations.ts";

type Row = {
  scope_kind: string;
  scope_id: string;
  day: string;
  usd: string;
  runs: number;
  tokens: number;
  counts: string;
};

/** Sums of cost, runs and tokens that also count runs which retention has deleted. */
export function totalsOfDays(sql: CheckpointedSql, ask: DailyAsk): readonly GroupRow[] {
  return daySums(sql, ask, ({ runs, tokens }) => [runs, tokens]);
}

/**
 * Returns whether the sums of these days are kept. Those of longer ago may be deleted although a run that came late is
 * stored.
 */
export function knowsDays(now: number, { fromDay }: DailyAsk): boolean {
  return Date.parse(fromDay) >= now - (FORECAST_MEMORY_DAYS - 1) * DAY_MS;
}

/** All that a report says of full days: exact, with runs that retention has deleted, and without reading any run. */
export function wholeDays(sql: CheckpointedSql, ask: DailyAsk): readonly GroupRow[] {
  return daySums(sql, ask, ({ runs, counts }) => [runs, ...readTokens(counts)]);
}

function daySums(sql: CheckpointedSql, ask: DailyAsk, countsOf: (row: Row) => number[]): GroupRow[] {
  const sums = new DaySums(ask);
  for (const row of readRows(rowsOf(sql, ask))) sums.add(row, countsOf(row));
  return sums.rows();
}

/** Sums of days by what a report is grouped by. */
class DaySums {
  readonly #ask: DailyAsk;
  readonly #finders: readonly (StretchFinder | null)[];
  readonly #sums = new GroupSums();

  constructor(ask: DailyAsk) {
    this.#ask = ask;
    this.#finders = ask.groupBy.map((stretches) =>
      stretches === null ? null : new StretchFinder(stretches),
    );
  }

  add(row: Row, counts: readonly number[]): void {
    const { kind, only } = this.#ask;
    const isOfName = row.scope_kind === kind && kind !== "org";
    const nanos = BigInt(row.usd);
    const names = this.#namesOf(isOfName ? row.scope_id : null, row.day);
    this.#sums.add(names, nanos, counts);
    if (!isOfName || only !== null) return;
    // The runs without a name have the rest of the org's sum.
    const rest = this.#namesOf(null, row.day);
    this.#sums.add(
      rest,
      -nanos,
      counts.map((count) => -count),
    );
  }

  #namesOf(name: string | null, day: string): (string | null)[] {
    const atMs = Date.parse(day);
    return this.#ask.groupBy.map((stretches, at) =>
      stretches === null ? name : (stretches.labels[this.#finders[at]?.at(atMs) ?? 0] ?? null),
    );
  }

  /** Without groups of which nothing is left. */
  rows(): GroupRow[] {
    return this.#sums.rows().filter(([, nanos, counts]) => nanos !== "0" || counts.length > 0);
  }
}

function rowsOf(sql: CheckpointedSql, { kind, only, fromDay, toDay }: DailyAsk): SqlStorageCursor<Row> {
  const kinds = only === null && kind !== "org" ? [kind, "org"] : [kind];
  return sql.exec<Row>(
    `SELECT scope_kind, scope_id, day, usd, runs, tokens, counts FROM ${DAILY_USAGE.in(sql)}
     WHERE scope_kind IN (SELECT value FROM json_each(?1)) AND day >= ?2 AND day < ?3
       ${only === null ? "" : "AND scope_id = ?4"}`,
    JSON.stringify(kinds),
    fromDay,
    toDay,
    ...(only === null ? [] : [only]),
  );
}
