import type { Usage } from "../../domain/meter/meter.ts";
import { latestTransaction, TransactionalCache } from "../../storage/transactional-cache.ts";

/** The size of one counter of a limit. */
export interface CounterSize {
  readonly subject: string;
  /** In the unit of the limit, as a double: good for an order, not for a bill. */
  readonly size: number;
}

/** The sums of all counters of a limit. */
export interface CounterTotal {
  readonly spent: bigint;
  readonly reserved: bigint;
}

/** Reads the counters of a limit. */
export interface CountersRead {
  /** The largest first, and all of them if there are fewer than are asked for. */
  largest(most: number): readonly CounterSize[];
  total(): CounterTotal;
}

/** As many are read. While some of them shrink, those that are shown are still among the others. */
export const MOST_READ = 100;
const MOST_KEPT = 2 * MOST_READ;

/** The counters of one limit and window that have most in them, kept up to date as they change. */
export class LargestCounters {
  readonly startMs: number;
  #sizes: Map<string, number>;
  /** No counter that is not kept has more in it. */
  #mostOfOthers: number;
  /** Null until somebody asks for it: a list of limits needs none, and it takes as long as the largest. */
  #total: CounterTotal | null = null;
  /** In which transaction they were read or changed last. */
  changedIn = latestTransaction();

  constructor(startMs: number, largest: readonly CounterSize[]) {
    this.startMs = startMs;
    this.#sizes = new Map(largest.map(({ subject, size }) => [subject, size]));
    this.#mostOfOthers = largest.length < MOST_READ ? Number.NEGATIVE_INFINITY : (largest.at(-1)?.size ?? 0);
  }

  total(read: () => CounterTotal): CounterTotal {
    if (this.#total === null) {
      this.#total = read();
      this.changedIn = latestTransaction();
    }
    return this.#total;
  }

  note(subject: string, before: Usage, after: Usage): void {
    this.changedIn = latestTransaction();
    this.#total &&= {
      spent: this.#total.spent + spentOf(after) - spentOf(before),
      reserved: this.#total.reserved + reservedOf(after) - reservedOf(before),
    };
    this.#place(subject, Number(spentOf(after) + reservedOf(after)));
  }

  #place(subject: string, size: number): void {
    if (size < this.#mostOfOthers) {
      this.#sizes.delete(subject);
      return;
    }
    this.#sizes.set(subject, size);
    if (this.#sizes.size <= MOST_KEPT) return;
    const all = this.#largestFirst();
    this.#sizes = new Map(all.slice(0, MOST_READ));
    this.#mostOfOthers = all[MOST_READ]?.[1] ?? this.#mostOfOthers;
  }

  /** Null if others may be among them. */
  first(limit: number): string[] | null {
    const isAll = this.#mostOfOthers === Number.NEGATIVE_INFINITY;
    if (this.#sizes.size < limit && !isAll) return null;
    return this.#largestFirst()
      .slice(0, limit)
      .map(([subject]) => subject);
  }

  #largestFirst(): [subject: string, size: number][] {
    return [...this.#sizes].toSorted(([, one], [, other]) => other - one);
  }
}

const spentOf = ({ spent, over }: Usage) => spent + over;
const reservedOf = ({ held, leased }: Usage) => held + leased;

/** Together they take a few MB. */
const MOST_LIMITS = 500;

/** By the ids of limits. A page with a hundred of them would read tens of thousands of counters each time. */
const caches = new TransactionalCache<Map<string, LargestCounters>>((known, began) => {
  for (const [meterId, { changedIn }] of known) if (changedIn >= began) known.delete(meterId);
});

export interface CountersAsked {
  readonly meterId: string;
  readonly startMs: number;
  /** How many of the largest. */
  readonly limit: number;
}

interface FoundCounters {
  /** The largest first. */
  readonly subjects: readonly string[];
  readonly total: () => CounterTotal;
}

export function largestCounters(
  sql: SqlStorage,
  { meterId, startMs, limit }: CountersAsked,
  read: CountersRead,
): FoundCounters {
  const known = caches.get(sql, () => new Map());
  const there = known.get(meterId);
  const kept = there?.startMs === startMs ? there.first(limit) : null;
  if (there !== undefined && kept !== null) {
    return { subjects: kept, total: () => there.total(() => read.total()) };
  }
  const made = new LargestCounters(startMs, read.largest(MOST_READ));
  if (known.size >= MOST_LIMITS) known.clear();
  known.set(meterId, made);
  return { subjects: made.first(limit) ?? [], total: () => made.total(() => read.total()) };
}

interface ChangedCounter {
  readonly meterId: string;
  readonly startMs: number;
  readonly subject: string;
  readonly before: Usage;
  readonly after: Usage;
}

export function noteCounter(
  sql: SqlStorage,
  { meterId, startMs, subject, before, after }: ChangedCounter,
): void {
  if (subject === "") return;
  const there = caches.get(sql, () => new Map()).get(meterId);
  if (there?.startMs === startMs) there.note(subject, before, after);
}

/** Code that changes counters in another way than `saveUsage` must drop these. */
export function forgetCounters(sql: SqlStorage): void {
  caches.forget(sql);
}
