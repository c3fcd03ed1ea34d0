import type { CheckpointedSql } from "../../storage/transaction.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import { type AddedDay, type DayRange, type RangeSums, sumsIn } from "../runs/range-sums.ts";
import type { TopGroup, TopOrder, UsageTop } from "../../contract/resources/usage/usage-top.ts";
import { asCount } from "../../domain/price/count.ts";
import { formatUsd } from "../../domain/price/money.ts";
import {
  accrueRevenue,
  type Revenue,
  revenueOf,
  type RevenueRange,
  untilToday,
} from "../../domain/price/revenue.ts";
import { readRevenues } from "../customers/store.ts";
import { query } from "../kernel/door.ts";
import {
  rankChanged,
  type Ranking,
  rankMargin,
  rankSpent,
  type RoughRevenue,
  totalOfRanked,
} from "./ranking.ts";

interface TopAsk {
  readonly by: TopGroup;
  readonly sort: TopOrder;
  readonly limit: number;
  readonly from: string;
  /** Not included, like every end. */
  readonly to: string;
  readonly previousFrom: string;
  readonly previousTo: string;
  /** A part of the names, in lower case. Empty: every name. */
  readonly contains: string;
  /** True if the caller may know what customers pay. */
  readonly showsRevenue: boolean;
}

/** Dollars and nano-dollars apart: the sum of many days may exceed 64 bits, and the runtime reads integers as doubles. */
type SumRow = { name: string; dollars: number; nanos: number; runs: number; tokens: number };
type Sum = Omit<AddedDay, "scopeId">;

interface Group {
  /** Null: runs that name none. */
  readonly name: string | null;
  readonly now: Sum;
  readonly before: Sum;
  /** Nano-dollars that are left of what the customer pays. Null: nobody has set that. */
  readonly earned: Earnings | null;
}

interface Earnings {
  readonly revenue: bigint;
  readonly margin: bigint;
}

const NONE: Sum = { usd: 0n, runs: 0, tokens: 0 };

/** Rough sums may be in another order than exact ones, but not by many places. */
const MORE_RANKED = 20;

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
  const ranked = totalOfRanked(sql, range);
  if (ranked !== null) return ranked;
  const read = () => new KindTotal(range, readSums(sql, range).map(toSum)[0] ?? NONE);
  return sumsIn(sql, KindTotal, range, read)?.sum ?? NONE;
}

type ComparedAmounts = Pick<Group, "now" | "before">;

/** Returns the amounts of runs without a name. */
function unnamedOf(total: ComparedAmounts, named: ComparedAmounts): ComparedAmounts {
  return { now: minus(total.now, named.now), before: minus(total.before, named.before) };
}

function changeOf({ now, before }: ComparedAmounts): bigint {
  const change = now.usd - before.usd;
  return change < 0n ? -change : change;
}

function compareNanos(one: bigint, other: bigint): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function minus(one: Sum, other: Sum): Sum {
  return { usd: one.usd - other.usd, runs: one.runs - other.runs, tokens: one.tokens - other.tokens };
}

function figures({ now, before }: ComparedAmounts) {
  return {
    cost_usd: formatUsd(now.usd),
    runs: asCount(now.runs),
    tokens: asCount(now.tokens),
    previous_cost_usd: formatUsd(before.usd),
    previous_runs: asCount(before.runs),
  };
}

/**
 * Returns the revenue from customers in the days that are asked for. None, where it is not about customers or the
 * caller may not know.
 */
interface Revenues {
  readonly of: ReadonlyMap<string, Revenue>;
  readonly range: RevenueRange;
}

function revenuesFor(sql: CheckpointedSql, now: number, ask: TopAsk): Revenues | null {
  if (ask.by !== "customer_id" || !ask.showsRevenue) return null;
  const days = { fromMs: Date.parse(ask.from), toMs: Date.parse(ask.to), timeZone: "UTC" };
  return { of: readRevenues(sql), range: untilToday(days, now) };
}

/** Every month is counted in once, so that many customers take no longer. */
const A_MONTH = 10n ** 18n;

function roughRevenues({ of, range }: Revenues): ReadonlyMap<string, RoughRevenue> {
  const months = Number(accrueRevenue(A_MONTH, range)) / Number(A_MONTH);
  const rough = ({ perMonth, markup }: Revenue): RoughRevenue => ({
    fee: Number(perMonth ?? 0n) * months,
    share: markup === null ? 0 : 1 + Number(markup) / 1e9,
  });
  return new Map(Array.from(of, ([name, revenue]) => [name, rough(revenue)]));
}

function earnedBy(name: string, cost: bigint, revenues: Revenues | null): Earnings | null {
  const paid = revenues?.of.get(name);
  if (revenues === null || paid === undefined) return null;
  const revenue = revenueOf(paid, revenues.range, cost);
  return { revenue, margin: revenue - cost };
}

function rank(sql: CheckpointedSql, ask: TopAsk, kind: string, revenues: Revenues | null): Ranking {
  const range = { kind, from: ask.from, to: ask.to };
  const wanted = { most: ask.limit + MORE_RANKED, contains: ask.contains };
  if (ask.sort === "change") {
    return rankChanged(sql, { range, before: { kind, from: ask.previousFrom, to: ask.previousTo } }, wanted);
  }
  return ask.sort === "margin" && revenues !== null
    ? rankMargin(sql, range, { ...wanted, revenues: roughRevenues(revenues) })
    : rankSpent(sql, range, {
        ...wanted,
        by: ask.sort === "runs" || ask.sort === "tokens" ? ask.sort : "usd",
      });
}

/** By the exact sums. */
const ORDERS: Readonly<Record<TopOrder, (one: Group, other: Group) => number>> = {
  cost_usd: (one, other) => compareNanos(other.now.usd, one.now.usd),
  runs: (one, other) => other.now.runs - one.now.runs,
  tokens: (one, other) => other.now.tokens - one.now.tokens,
  change: (one, other) => compareNanos(changeOf(other), changeOf(one)),
  margin(one, other) {
    if (one.earned !== null && other.earned !== null) {
      return compareNanos(one.earned.margin, other.earned.margin);
    }
    if (one.earned === null && other.earned === null) return ORDERS.cost_usd(one, other);
    return one.earned === null ? 1 : -1;
  },
};

/** Returns the names that spent most, from the daily sums: never from the runs. */
export const topUsage = query({
  refuses: [],
  run({ sql, now: nowMs }, ask: TopAsk): UsageTop {
    const kind = ask.by === "model" ? "model" : ask.by.replace(/_id$/, "");
    const now = { from: ask.from, to: ask.to };
    const before = { from: ask.previousFrom, to: ask.previousTo };
    const sumAll = (of: string) => ({
      now: totalOf(sql, { kind: of, ...now }),
      before: totalOf(sql, { kind: of, ...before }),
    });
    const total = sumAll("org");
    const isByChange = ask.sort === "change";
    const revenues = revenuesFor(sql, nowMs, ask);
    const ranking = rank(sql, ask, kind, revenues);
    const [sums, earlier] = [now, before].map((days) => sumsByName(sql, { kind, ...days }, ranking.names));
    const groups: Group[] = ranking.names.map((name) => {
      const spent = sums?.get(name) ?? NONE;
      const earned = earnedBy(name, spent.usd, revenues);
      return { name, now: spent, before: earlier?.get(name) ?? NONE, earned };
    });
    const mayHaveUnnamed = ask.contains === "" && (isByChange || total.now.runs > ranking.runs);
    const unnamed = mayHaveUnnamed ? unnamedOf(total, sumAll(kind)) : null;
    const hasUnnamed = unnamed !== null && (unnamed.now.runs > 0 || (isByChange && unnamed.before.runs > 0));
    if (hasUnnamed) groups.push({ name: null, ...unnamed, earned: null });
    const top = groups.toSorted(ORDERS[ask.sort]).slice(0, ask.limit);
    return {
      by: ask.by,
      from: ask.from,
      to: ask.to,
      previous_from: ask.previousFrom,
      previous_to: ask.previousTo,
      groups: ranking.count + (hasUnnamed ? 1 : 0),
      totals: figures(total),
      data: top.map(({ name, earned, ...sum }) => ({
        name,
        ...figures(sum),
        ...(revenues === null ? {} : shownEarned(earned)),
      })),
      days: daysOf(sql, ask, kind, top),
    };
  },
});

function shownEarned(earned: Earnings | null) {
  if (earned === null) return { revenue_usd: null, margin_usd: null };
  return { revenue_usd: formatUsd(earned.revenue), margin_usd: formatUsd(earned.margin) };
}

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
