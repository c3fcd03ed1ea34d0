import { latestTransaction, TransactionalCache } from "../../storage/transactional-cache.ts";

/** The days of one kind of scope. */
export interface DayRange {
  readonly kind: string;
  readonly from: string;
  /** Not included. */
  readonly to: string;
}

/** The gain of the sum of a name on a day. */
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

interface KeptSums {
  readonly sums: RangeSums;
  /** The transaction in which they were read or added to last. */
  changedIn: number;
}

/** A refused run rolls back a transaction that added to none of them. */
const caches = new TransactionalCache<KeptSums[]>((known, began) => {
  const kept = known.filter(({ changedIn }) => changedIn < began);
  known.splice(0, known.length, ...kept);
});

/** Null if memory does not have them. */
export function keptSums<T extends RangeSums>(
  sql: SqlStorage,
  kind: abstract new (...args: never[]) => T,
  range: DayRange,
): T | null {
  for (const { sums } of caches.get(sql, () => [])) {
    if (sums instanceof kind && isSame(sums.range, range)) return sums;
  }
  return null;
}

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
  const there = keptSums(sql, kind, range);
  if (there !== null) return there;
  const made = read();
  if (made === null) return null;
  const known = caches.get(sql, () => []);
  known.push({ sums: made, changedIn: latestTransaction() });
  // The oldest make room.
  while (known.length > MOST_RANGES || namesIn(known) > MOST_NAMES) known.shift();
  return made;
}

/** Code that changes daily sums otherwise than by adding to them must drop these. */
export function forgetRangeSums(sql: SqlStorage): void {
  caches.forget(sql);
}

export function addToRanges(sql: SqlStorage, scopeKind: string, day: string, added: AddedDay): void {
  for (const kept of caches.get(sql, () => [])) {
    const { kind, from, to } = kept.sums.range;
    if (kind !== scopeKind || day < from || day >= to) continue;
    kept.sums.add(added);
    kept.changedIn = latestTransaction();
  }
}

function namesIn(known: readonly KeptSums[]): number {
  return known.reduce((names, { sums }) => names + sums.size, 0);
}

function isSame(one: DayRange, other: DayRange): boolean {
  return one.kind === other.kind && one.from === other.from && one.to === other.to;
}
