import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { Table } from "../../storage/table.ts";
import { runInParts } from "../../storage/json-rows.ts";
import { plusTokens, readTokens, writeTokens } from "../../domain/usage-report/token-counts.ts";
import { addToRanges, forgetRangeSums } from "./range-sums.ts";
import { RUN_SCOPES } from "./scopes.ts";
import type { Sum, Total } from "./sums.ts";

declare module "../../storage/table.ts" {
  interface LoggedTables {
    usage_daily: true;
  }
}

/** The spend of each scope on each day, by the start of its runs. It outlives the runs, because forecasts use it. */
interface Day extends Total, DayName {}

interface DayName {
  readonly day: string;
  readonly scopeKind: string;
  readonly scopeId: string;
}

type DayRow = { at: number; usd: string; runs: number; tokens: number; counts: string };

const KEY = ["scope_kind", "scope_id", "day"];
const TOTALS = ["usd", "runs", "tokens", "counts"];
/** Sums of runs by day. */
export const DAILY_USAGE = new Table({
  name: "usage_daily",
  columns: [...KEY, ...TOTALS],
  key: KEY,
  named: KEY,
  changing: TOTALS,
});

type Row = readonly [
  scopeKind: string,
  scopeId: string,
  day: string,
  usd: string,
  runs: number,
  tokens: number,
  counts: string,
];

const COUNTED = [
  ["model", "model"] as const,
  ...RUN_SCOPES.map(({ kind, property }) => [kind, property] as const),
];

export function saveDaily(sql: SqlStorage, sums: Iterable<Sum>): void {
  const rows = new Map<string, Day>();
  // Most sums of a batch differ from the one before in one scope only. The others need not be looked up again.
  const latest: (Day | undefined)[] = [];
  for (const sum of sums) {
    latest[0] = addTo(rows, latest[0], ["org", ""], sum);
    for (const [at, [kind, field]] of COUNTED.entries()) {
      const id = sum.run[field];
      if (id !== null) latest[at + 1] = addTo(rows, latest[at + 1], [kind, id], sum);
    }
  }
  if (rows.size > 0) save(sql, rows);
}

function addTo(
  rows: Map<string, Day>,
  latest: Day | undefined,
  [scopeKind, scopeId]: readonly [kind: string, id: string],
  sum: Sum,
): Day {
  const { day, usd, runs, tokens, counts } = sum;
  const isLatest = latest?.scopeId === scopeId && latest.day === day;
  const key = isLatest ? "" : `${day} ${scopeKind} ${scopeId}`;
  const there = isLatest ? latest : rows.get(key);
  if (there === undefined) {
    const made = { day, scopeKind, scopeId, usd, runs, tokens, counts: [...counts] };
    rows.set(key, made);
    return made;
  }
  there.usd += usd;
  there.runs += runs;
  there.tokens += tokens;
  plusTokens(there.counts, counts);
  return there;
}

const MOST_COPIES = 10_000;
const copies = new TransactionalCache<Map<string, Total>>();

/** Code that changes daily sums in another way than by a batch must drop the copies. */
export function forgetDaily(sql: SqlStorage): void {
  copies.forget(sql);
  forgetRangeSums(sql);
}

function save(sql: SqlStorage, days: ReadonlyMap<string, Day>): void {
  const known = copies.get(sql, () => new Map());
  const unknown = new Map([...days].filter(([key]) => !known.has(key)));
  if (known.size + unknown.size > MOST_COPIES) {
    known.clear();
    readTotals(sql, days, known);
  } else if (unknown.size > 0) readTotals(sql, unknown, known);
  const rows: Row[] = [];
  for (const [key, { scopeKind, scopeId, day, ...added }] of days) {
    const total = plus(added, known.get(key));
    known.set(key, total);
    addToRanges(sql, scopeKind, day, { scopeId, ...added });
    const { usd, runs, tokens, counts } = total;
    rows.push([scopeKind, scopeId, day, String(usd), runs, tokens, writeTokens(counts)]);
  }
  DAILY_USAGE.put(sql, rows);
}

/** Returns the org's spend on some days, in nano-dollars. */
export function sumSpendOn(sql: SqlStorage, days: readonly string[]): bigint {
  const totals = new Map<string, Total>();
  readTotals(sql, new Map(days.map((day) => [day, { day, scopeKind: "org", scopeId: "" }])), totals);
  return [...totals.values()].reduce((sum, { usd }) => sum + usd, 0n);
}

function readTotals(sql: SqlStorage, days: ReadonlyMap<string, DayName>, into: Map<string, Total>): void {
  const keys: string[] = [];
  const asked: (readonly string[])[] = [];
  for (const [key, { scopeKind, scopeId, day }] of days) {
    const changed = DAILY_USAGE.get(sql, scopeKind, scopeId, day) as Row | null | undefined;
    if (changed === undefined || changed === null) {
      keys.push(key);
      asked.push([scopeKind, scopeId, day]);
    } else {
      const [, , , usd, runs, tokens, counts] = changed;
      into.set(key, totalOf({ usd, runs, tokens, counts }));
    }
  }
  if (asked.length === 0) return;
  runInParts(asked, (json, from) => {
    const stored = sql.exec<DayRow>(
      `SELECT k.key AS at, d.usd, d.runs, d.tokens, d.counts FROM json_each(?) AS k JOIN usage_daily AS d
         ON d.scope_kind = k.value ->> 0 AND d.scope_id = k.value ->> 1 AND d.day = k.value ->> 2`,
      json,
    );
    for (const { at, ...row } of stored) into.set(keys[from + at] ?? "", totalOf(row));
  });
}

function totalOf({ usd, runs, tokens, counts }: Omit<DayRow, "at">): Total {
  return { usd: BigInt(usd), runs, tokens, counts: readTokens(counts) };
}

function plus({ usd, runs, tokens, counts }: Total, other: Total | undefined): Total {
  if (other === undefined) return { usd, runs, tokens, counts };
  const both = [...counts];
  plusTokens(both, other.counts);
  return { usd: usd + other.usd, runs: runs + other.runs, tokens: tokens + other.tokens, counts: both };
}
