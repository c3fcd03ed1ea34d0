import type { CheckpointedSql } from "../../storage/transaction.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import { type AddedDay, type DayRange, MOST_NAMES, type RangeSums, sumsIn } from "../runs/range-sums.ts";
import type { TopGroup, TopOrder, UsageTop } from "../../contract/resources/usage/usage-top.ts";
import { asCount } from "../../domain/price/count.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { query } from "../kernel/door.ts";

interface TopAsk {
  readonly by: TopGroup;
  readonly sort: TopOrder;
  readonly limit: number;
  readonly from: string;
  /** Not included, like every end. */
  readonly to: string;
  readonly previousFrom: string;
  readonly previousTo: string;
}

/** Dollars and nano-dollars apart: the sum of many days may exceed 64 bits, and the runtime reads integers as doubles. */
type SumRow = { name: string; dollars: number; nanos: number; runs: number; tokens: number };
type Sum = Omit<AddedDay, "scopeId">;

interface Group {
  /** Null: runs that name none. */
  readonly name: string | null;
  readonly now: Sum;
  readonly before: Sum;
}

const NONE: Sum = { usd: 0n, runs: 0, tokens: 0 };

/** Exact sums: of some names, each, or of all names of a kind as one. */
function readSums(sql: CheckpointedSql, { kind, from, to }: DayRange, names?: readonly string[]): SumRow[] {
  const each = names !== undefined;
  return sql
    .exec<SumRow>(
      `SELECT ${each ? "scope_id" : "''"} AS name, IFNULL(SUM(usd / 1000000000), 0) AS dollars,
         IFNULL(SUM(usd % 1000000000), 0) AS nanos, IFNULL(SUM(runs), 0) AS runs, IFNULL(SUM(tokens), 0) AS tokens
       FROM (SELECT scope_id, CAST(usd AS INTEGER) AS usd, runs, tokens FROM ${DAILY_USAGE.in(sql)}
         WHERE scope_kind = ?1 AND day >= ?2 AND day < ?3
         ${each ? "AND scope_id IN (SELECT value FROM json_each(?4))" : ""})
       ${each ? "GROUP BY scope_id" : ""}`,
      kind,
      from,
      to,
      ...(each ? [JSON.stringify(names)] : []),
    )
    .toArray();
}

function toSum({ dollars, nanos, runs, tokens }: SumRow): Sum {
  return { usd: BigInt(dollars) * 1_000_000_000n + BigInt(nanos), runs, tokens };
}

function sumsByName(sql: CheckpointedSql, range: DayRange, names: readonly string[]): Map<string, Sum> {
  return new Map(readSums(sql, range, names).map((row) => [row.name, toSum(row)]));
}

/** The exact sum of all names of a kind. */
class KindTotal implements RangeSums {
  readonly range: DayRange;
  readonly size = 0;
  sum: Sum;

  constructor(range: DayRange, sum: Sum) {
    this.range = range;
    this.sum = sum;
  }

  add({ usd, runs, tokens }: AddedDay): void {
    const { sum } = this;
    this.sum = { usd: sum.usd + usd, runs: sum.runs + runs, tokens: sum.tokens + tokens };
  }
}

function totalOf(sql: CheckpointedSql, range: DayRange): Sum {
  const read = () => new KindTotal(range, readSums(sql, range).map(toSum)[0] ?? NONE);
  return sumsIn(sql, KindTotal, range, read)?.sum ?? NONE;
}

type Ranked = { name: string; usd: number; runs: number };

/** What each name of a kind spent, as doubles: good for an order, not for a bill. */
class NameRanking implements RangeSums {
  readonly range: DayRange;
  readonly #names: Map<string, Ranked>;

  constructor(range: DayRange, names: readonly Ranked[]) {
    this.range = range;
    this.#names = new Map(names.map((one) => [one.name, one]));
  }

  get size(): number {
    return this.#names.size;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add({ scopeId: name, usd, runs }: AddedDay): void {
    const there = this.#names.get(name) ?? { name, usd: 0, runs: 0 };
    this.#names.set(name, { name, usd: there.usd + Number(usd), runs: there.runs + runs });
  }

  get all(): Iterable<Ranked> {
    return this.#names.values();
  }

  usdOf(name: string): number {
    return this.#names.get(name)?.usd ?? 0;
  }
}

interface Ranking {
  /** The names that come first, roughly in this order. */
  readonly names: readonly string[];
  /** How many there are. */
  readonly count: number;
  /** The runs of all of them. */
  readonly runs: number;
}

/** Rough sums may be in another order than exact ones, but not by many places. */
const MORE_RANKED = 20;

const roughSums = (sql: CheckpointedSql) =>
  `SELECT scope_id AS name, SUM(CAST(usd AS REAL)) AS usd, SUM(runs) AS runs FROM ${DAILY_USAGE.in(sql)}
   WHERE scope_kind = ? AND day >= ? AND day < ? GROUP BY scope_id`;

const bindingsOf = ({ kind, from, to }: DayRange) => [kind, from, to];

/** Null if they are more than memory keeps. */
function namesIn(sql: CheckpointedSql, range: DayRange): NameRanking | null {
  return sumsIn(sql, NameRanking, range, () => {
    const names = sql
      .exec<Ranked>(`${roughSums(sql)} LIMIT ?`, ...bindingsOf(range), MOST_NAMES + 1)
      .toArray();
    return names.length > MOST_NAMES ? null : new NameRanking(range, names);
  });
}

/** The names of a kind by what they spent. More of them than memory keeps are ranked by the statement. */
export function rankSpent(sql: CheckpointedSql, range: DayRange, most: number): Ranking {
  const kept = namesIn(sql, range);
  if (kept !== null) return rankingOf([...kept.all], most);
  return rankedBy(sql, { statement: roughSums(sql), bindings: bindingsOf(range) }, most);
}

/** The names of a kind by how much more or less they spent than before. */
function rankChanged(
  sql: CheckpointedSql,
  { range, before }: { readonly range: DayRange; readonly before: DayRange },
  most: number,
): Ranking {
  const [now, earlier] = [namesIn(sql, range), namesIn(sql, before)];
  if (now !== null && earlier !== null) {
    const stayed = Array.from(now.all, ({ name, usd, runs }) => ({
      name,
      usd: Math.abs(usd - earlier.usdOf(name)),
      runs,
    }));
    const gone = [...earlier.all].filter(({ name }) => !now.has(name));
    return rankingOf([...stayed, ...gone.map(({ name, usd }) => ({ name, usd, runs: 0 }))], most);
  }
  const statement = `SELECT name, ABS(SUM(usd)) AS usd, SUM(runs) AS runs FROM (
    SELECT * FROM (${roughSums(sql)}) UNION ALL SELECT name, -usd, 0 FROM (${roughSums(sql)})) GROUP BY name`;
  return rankedBy(sql, { statement, bindings: [...bindingsOf(range), ...bindingsOf(before)] }, most);
}

function rankingOf(all: readonly Ranked[], most: number): Ranking {
  const runs = all.reduce((sum, one) => sum + one.runs, 0);
  return { names: firstOf(all, most).map(({ name }) => name), count: all.length, runs };
}

/** The largest, largest first. Numbers by themselves are sorted many times faster than names by their numbers. */
function firstOf(all: readonly Ranked[], most: number): Ranked[] {
  const amounts = Float64Array.from(all, ({ usd }) => usd).sort();
  const least = amounts.at(-most) ?? Number.NEGATIVE_INFINITY;
  return all
    .filter(({ usd }) => usd >= least)
    .toSorted(compare)
    .slice(0, most);
}

function compare(one: Ranked, other: Ranked): number {
  return other.usd - one.usd || (one.name < other.name ? -1 : 1);
}

function rankedBy(
  sql: CheckpointedSql,
  { statement, bindings }: { readonly statement: string; readonly bindings: readonly string[] },
  most: number,
): Ranking {
  const rows = sql
    .exec<{ name: string; count: number; runs: number }>(
      `WITH ranked AS (${statement})
       SELECT name, COUNT(*) OVER () AS count, SUM(runs) OVER () AS runs FROM ranked
       ORDER BY usd DESC, name LIMIT ?`,
      ...bindings,
      most,
    )
    .toArray();
  return { names: rows.map(({ name }) => name), count: rows[0]?.count ?? 0, runs: rows[0]?.runs ?? 0 };
}

type Compared = Pick<Group, "now" | "before">;

/** What no name has. */
function unnamedOf(total: Compared, named: Compared): Compared {
  return { now: minus(total.now, named.now), before: minus(total.before, named.before) };
}

function changeOf({ now, before }: Compared): bigint {
  const change = now.usd - before.usd;
  return change < 0n ? -change : change;
}

function compareNanos(one: bigint, other: bigint): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function minus(one: Sum, other: Sum): Sum {
  return { usd: one.usd - other.usd, runs: one.runs - other.runs, tokens: one.tokens - other.tokens };
}

function figures({ now, before }: Compared) {
  return {
    cost_usd: formatUsd(now.usd),
    runs: asCount(now.runs),
    tokens: asCount(now.tokens),
    previous_cost_usd: formatUsd(before.usd),
    previous_runs: asCount(before.runs),
  };
}

/** Who spent most, from the daily sums: never from the runs. */
export const topUsage = query({
  refuses: [],
  run({ sql }, ask: TopAsk): UsageTop {
    const kind = ask.by === "model" ? "model" : ask.by.replace(/_id$/, "");
    const now = { from: ask.from, to: ask.to };
    const before = { from: ask.previousFrom, to: ask.previousTo };
    const sumAll = (of: string) => ({
      now: totalOf(sql, { kind: of, ...now }),
      before: totalOf(sql, { kind: of, ...before }),
    });
    const total = sumAll("org");
    const isByChange = ask.sort === "change";
    const most = ask.limit + MORE_RANKED;
    const ranking = isByChange
      ? rankChanged(sql, { range: { kind, ...now }, before: { kind, ...before } }, most)
      : rankSpent(sql, { kind, ...now }, most);
    const [sums, earlier] = [now, before].map((days) => sumsByName(sql, { kind, ...days }, ranking.names));
    const groups: Group[] = ranking.names.map((name) => ({
      name,
      now: sums?.get(name) ?? NONE,
      before: earlier?.get(name) ?? NONE,
    }));
    const unnamed = isByChange || total.now.runs > ranking.runs ? unnamedOf(total, sumAll(kind)) : null;
    const hasUnnamed = unnamed !== null && (unnamed.now.runs > 0 || (isByChange && unnamed.before.runs > 0));
    if (hasUnnamed) groups.push({ name: null, ...unnamed });
    const sizeOf = (group: Group) => (isByChange ? changeOf(group) : group.now.usd);
    groups.sort((one, other) => compareNanos(sizeOf(other), sizeOf(one)));
    const top = groups.slice(0, ask.limit);
    return {
      by: ask.by,
      from: ask.from,
      to: ask.to,
      previous_from: ask.previousFrom,
      previous_to: ask.previousTo,
      groups: ranking.count + (hasUnnamed ? 1 : 0),
      totals: figures(total),
      data: top.map(({ name, ...sum }) => ({ name, ...figures(sum) })),
      days: daysOf(sql, ask, kind, top),
    };
  },
});

type DayRow = { day: string; usd: string | null; runs: number | null; parts: string };

/** Each day that has runs, and the part of each name that is listed. */
function daysOf(
  sql: CheckpointedSql,
  { from, to }: TopAsk,
  kind: string,
  top: readonly { readonly name: string | null }[],
): UsageTop["days"] {
  const names = top.flatMap(({ name }) => name ?? []);
  // A row with all parts of a day is read several times faster than a row for each.
  const rows = sql.exec<DayRow>(
    `SELECT day, MAX(usd) FILTER (WHERE scope_kind = 'org') AS usd, MAX(runs) FILTER (WHERE scope_kind = 'org') AS runs,
       json_group_array(json_array(scope_id, usd)) FILTER (WHERE scope_kind <> 'org') AS parts
     FROM ${DAILY_USAGE.in(sql)}
     WHERE day >= ?1 AND day < ?2 AND (scope_kind = 'org' AND scope_id = ''
       OR scope_kind = ?3 AND scope_id IN (SELECT value FROM json_each(?4)))
     GROUP BY day ORDER BY day`,
    from,
    to,
    kind,
    JSON.stringify(names),
  );
  return Array.from(rows, ({ day, usd, runs, parts }) => ({
    date: day,
    cost_usd: formatUsd(BigInt(usd ?? 0)),
    runs: asCount(runs ?? 0),
    parts: (JSON.parse(parts) as [name: string, usd: string][]).map(([name, part]) => ({
      name,
      cost_usd: formatUsd(BigInt(part)),
    })),
  }));
}
