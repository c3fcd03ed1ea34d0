import { leastOfLargest } from "../../domain/usage-report/largest.ts";
import type { CheckpointedSql } from "../../storage/transaction.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import {
  type AddedDay,
  type DayRange,
  MOST_NAMES,
  keptSums,
  type RangeSums,
  sumsIn,
} from "../runs/range-sums.ts";

/** The spend of each name of a kind, as doubles: good for an order, not for a bill. */
type RankedName = {
  name: string;
  /** Nano-dollars. */
  usd: number;
  runs: number;
  tokens: number;
};

/** As a statement reads it, with the number of characters of its longest amount: an array is read faster than an object. */
type RankedRow = [name: string, usd: number, runs: number, tokens: number, digits: number];

/** What all names of a kind have together. */
export type NameTotal = Omit<AddedDay, "scopeId">;

/** So long amounts of 400 days add up to less than 2 to the power of 53, so a double has each of their sums exactly. */
const EXACT_DIGITS = 13;

function totalOf(names: Iterable<RankedName>): NameTotal {
  let [usd, runs, tokens] = [0n, 0, 0];
  for (const one of names) {
    usd += BigInt(one.usd);
    runs += one.runs;
    tokens += one.tokens;
  }
  return { usd, runs, tokens };
}

/** By which a name can be the largest. */
export type RankedBy = "usd" | "runs" | "tokens";

/** How large a name is by what it is ranked by. */
type NameSize = Pick<RankedName, "name" | "runs"> & { readonly size: number };

class NameRanking implements RangeSums {
  readonly range: DayRange;
  readonly #names: Map<string, RankedName>;
  /** The exact sum of all names. Null if doubles do not have it. */
  #total: NameTotal | null;

  constructor(range: DayRange, rows: readonly RankedRow[]) {
    this.range = range;
    this.#names = new Map(rows.map(([name, usd, runs, tokens]) => [name, { name, usd, runs, tokens }]));
    this.#total = rows.every(([, , , , digits]) => digits <= EXACT_DIGITS) ? totalOf(this.all) : null;
  }

  get total(): NameTotal | null {
    return this.#total;
  }

  get size(): number {
    return this.#names.size;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  add({ scopeId: name, usd, runs, tokens }: AddedDay): void {
    this.#total &&= {
      usd: this.#total.usd + usd,
      runs: this.#total.runs + runs,
      tokens: this.#total.tokens + tokens,
    };
    const there = this.#names.get(name) ?? { name, usd: 0, runs: 0, tokens: 0 };
    this.#names.set(name, {
      name,
      usd: there.usd + Number(usd),
      runs: there.runs + runs,
      tokens: there.tokens + tokens,
    });
  }

  get all(): Iterable<RankedName> {
    return this.#names.values();
  }

  usdOf(name: string): number {
    return this.#names.get(name)?.usd ?? 0;
  }
}

export interface Ranking {
  /** The names that come first, roughly in this order. */
  readonly names: readonly string[];
  /** How many there are. */
  readonly count: number;
  /** The runs of all of them. */
  readonly runs: number;
}

/** The names that are asked for, and how many of them. */
interface NameFilter {
  readonly most: number;
  /** A part of the name, in lower case. Empty: every name. */
  readonly contains: string;
}

const roughSums = (sql: CheckpointedSql) =>
  `SELECT scope_id AS name, SUM(CAST(usd AS REAL)) AS usd, SUM(runs) AS runs, SUM(tokens) AS tokens,
     MAX(length(usd)) AS digits
   FROM ${DAILY_USAGE.in(sql)}
   WHERE scope_kind = ? AND day >= ? AND day < ? GROUP BY scope_id`;

const bindingsOf = ({ kind, from, to }: DayRange) => [kind, from, to];

/** Null if they are more than memory keeps. */
function namesIn(sql: CheckpointedSql, range: DayRange): NameRanking | null {
  return sumsIn(sql, NameRanking, range, () => {
    const names = [
      ...sql.exec(`${roughSums(sql)} LIMIT ?`, ...bindingsOf(range), MOST_NAMES + 1).raw<RankedRow>(),
    ];
    return names.length > MOST_NAMES ? null : new NameRanking(range, names);
  });
}

/** The exact sum of all names of a kind, if memory has what each of them spent. Else null. */
export function totalOfRanked(sql: SqlStorage, range: DayRange): NameTotal | null {
  return keptSums(sql, NameRanking, range)?.total ?? null;
}

function matching<T extends Pick<RankedName, "name">>(all: Iterable<T>, contains: string): readonly T[] {
  const every = Array.isArray(all) ? (all as readonly T[]) : [...all];
  return contains === "" ? every : every.filter(({ name }) => name.toLowerCase().includes(contains));
}

/** The names of a kind by what they spent. More of them than memory keeps are ranked by the statement. */
export function rankSpent(
  sql: CheckpointedSql,
  range: DayRange,
  {
    most,
    contains = "",
    by = "usd",
  }: { readonly most: number; readonly contains?: string; readonly by?: RankedBy },
): Ranking {
  const kept = namesIn(sql, range);
  if (kept !== null) {
    return rankingOf(matching(kept.all, contains), most, (one) => one[by]);
  }
  const statement = `SELECT name, ${by} AS size, runs FROM (${roughSums(sql)})`;
  return rankedBy(sql, { statement, bindings: bindingsOf(range) }, { most, contains });
}

/** The names of a kind by how much more or less they spent than before. */
export function rankChanged(
  sql: CheckpointedSql,
  { range, before }: { readonly range: DayRange; readonly before: DayRange },
  { most, contains }: NameFilter,
): Ranking {
  const [now, earlier] = [namesIn(sql, range), namesIn(sql, before)];
  if (now !== null && earlier !== null) {
    const stayed = Array.from(now.all, ({ name, usd, runs }) => ({
      name,
      size: Math.abs(usd - earlier.usdOf(name)),
      runs,
    }));
    const gone = Array.from(earlier.all)
      .filter(({ name }) => !now.has(name))
      .map(({ name, usd }) => ({ name, size: usd, runs: 0 }));
    return rankingOf(matching([...stayed, ...gone], contains), most, sizeOf);
  }
  const statement = `SELECT name, ABS(SUM(usd)) AS size, SUM(runs) AS runs FROM (
    SELECT name, usd, runs FROM (${roughSums(sql)}) UNION ALL SELECT name, -usd, 0 FROM (${roughSums(sql)}))
    GROUP BY name`;
  const bindings = [...bindingsOf(range), ...bindingsOf(before)];
  return rankedBy(sql, { statement, bindings }, { most, contains });
}

/** The earnings from a name: an amount, and a share of its spend. */
export interface RoughRevenue {
  /** Nano-dollars. */
  readonly fee: number;
  readonly share: number;
}

/** Those first of whom least is left: of names that bring something in. All others follow, by what they spent. */
export function rankMargin(
  sql: CheckpointedSql,
  range: DayRange,
  { most, contains, revenues }: NameFilter & { readonly revenues: ReadonlyMap<string, RoughRevenue> },
): Ranking {
  const spent = rankSpent(sql, range, { most: most + revenues.size, contains });
  const costs = costsOf(sql, range, [...revenues.keys()]);
  const losses = Array.from(revenues, ([name, { fee, share }]) => {
    const cost = costs.get(name) ?? 0;
    return { name, size: cost - fee - cost * share, runs: 0 };
  });
  const paying = matching(losses, contains);
  const others = spent.names.filter((name) => !revenues.has(name));
  const silent = paying.filter(({ name }) => !costs.has(name)).length;
  return {
    names: [...rankingOf(paying, most, sizeOf).names, ...others].slice(0, most),
    count: spent.count + silent,
    runs: spent.runs,
  };
}

/** Those of these names that spent something. */
function costsOf(
  sql: CheckpointedSql,
  range: DayRange,
  names: readonly string[],
): ReadonlyMap<string, number> {
  const kept = namesIn(sql, range);
  if (kept !== null) {
    return new Map(names.filter((name) => kept.has(name)).map((name) => [name, kept.usdOf(name)]));
  }
  const rows = sql.exec<RankedName>(
    `SELECT * FROM (${roughSums(sql)}) WHERE name IN (SELECT value FROM json_each(?))`,
    ...bindingsOf(range),
    JSON.stringify(names),
  );
  return new Map(Array.from(rows, ({ name, usd }) => [name, usd]));
}

const sizeOf = ({ size }: NameSize): number => size;

function rankingOf<T extends Pick<RankedName, "name" | "runs">>(
  all: readonly T[],
  most: number,
  sizeIn: (one: T) => number,
): Ranking {
  const runs = all.reduce((sum, one) => sum + one.runs, 0);
  const least = leastOfLargest(all.map(sizeIn), most);
  const first = all
    .filter((one) => sizeIn(one) >= least)
    .toSorted((one, other) => sizeIn(other) - sizeIn(one) || (one.name < other.name ? -1 : 1))
    .slice(0, most);
  return { names: first.map(({ name }) => name), count: all.length, runs };
}

function rankedBy(
  sql: CheckpointedSql,
  { statement, bindings }: { readonly statement: string; readonly bindings: readonly string[] },
  { most, contains }: NameFilter,
): Ranking {
  const rows = sql
    .exec<{ name: string; count: number; runs: number }>(
      `WITH ranked AS (SELECT * FROM (${statement}) WHERE instr(lower(name), ?) > 0)
       SELECT name, COUNT(*) OVER () AS count, SUM(runs) OVER () AS runs FROM ranked
       ORDER BY size DESC, name LIMIT ?`,
      ...bindings,
      contains,
      most,
    )
    .toArray();
  return { names: rows.map(({ name }) => name), count: rows[0]?.count ?? 0, runs: rows[0]?.runs ?? 0 };
}
