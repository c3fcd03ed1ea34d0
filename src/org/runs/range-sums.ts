import { TransactionalCache } from "../../storage/transactional-cache.ts";

/** The days of one kind of scope. */
export interface DayRange {
  readonly kind: string;
  readonly from: string;
  /** Not included. */
  readonly to: string;
}

/** What the sum of a name on a day has gained. */
export interface AddedDay {
  readonly scopeId: string;
  readonly usd: bigint;
  readonly runs: number;
  readonly tokens: number;
}

/** Sums over a range of days that whatever is added to one of its days is added to. */
export interface RangeSums {
  readonly range: DayRange;
  /** How many names it keeps. */
  readonly size: number;
  add(day: AddedDay): void;
}

/** Together they take about 5 MB. */
export const MOST_NAMES = 50_000;
const MOST_RANGES = 8;

const caches = new TransactionalCache<RangeSums[]>();

/**
 * Sums of a range, kept in memory: adding up the days of 10,000 names takes a quarter of a second of the object's only
 * thread, and people look at the same days again. Null if `read` finds more than memory has a place for.
 */
export function sumsIn<T extends RangeSums>(
  sql: SqlStorage,
  kind: abstract new (...args: never[]) => T,
  range: DayRange,
  read: () => T | null,
): T | null {
  const known = caches.get(sql, () => []);
  const there = known.find((one): one is T => one instanceof kind && isSame(one.range, range));
  if (there !== undefined) return there;
  const made = read();
  if (made === null) return null;
  known.push(made);
  // The oldest make room.
  while (known.length > MOST_RANGES || namesIn(known) > MOST_NAMES) known.shift();
  return made;
}

/** Code that changes daily sums otherwise than by adding to them must drop these. */
export function forgetRangeSums(sql: SqlStorage): void {
  caches.forget(sql);
}

export function addToRanges(sql: SqlStorage, scopeKind: string, day: string, added: AddedDay): void {
  for (const sums of caches.get(sql, () => [])) {
    const { kind, from, to } = sums.range;
    if (kind === scopeKind && day >= from && day < to) sums.add(added);
  }
}

function namesIn(known: readonly RangeSums[]): number {
  return known.reduce((names, { size }) => names + size, 0);
}

function isSame(one: DayRange, other: DayRange): boolean {
  return one.kind === other.kind && one.from === other.from && one.to === other.to;
}
