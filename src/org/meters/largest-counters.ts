import type { Usage } from "../../domain/meter/meter.ts";
import { latestTransaction, TransactionalCache } from "../../storage/transactional-cache.ts";

/** One counter of a limit. */
export interface Counter {
  readonly subject: string;
  readonly usage: Usage;
}

/** The sums of all counters of a limit. */
export interface CounterTotal {
  readonly spent: bigint;
  readonly reserved: bigint;
}

/** Reads the counters of a limit. */
export interface CountersRead {
  /** The largest first, and all of them if there are fewer than are asked for. */
  largest(most: number): readonly Counter[];
  /** How many there are, but not more than are asked for. */
  count(most: number): number;
  total(): CounterTotal;
}

/** Twice as many counters are read as are shown, and at least this many, so that a few can shrink without another read. */
export const LEAST_READ = 20;

/** The counters of one limit and window that have most in them, kept up to date as they change. */
export class LargestCounters {
  readonly startMs: number;
  readonly #mostRead: number;
  #counters: Map<string, SizedCounter>;
  /** The largest of them first. Null until somebody asks for it. */
  #sorted: readonly SizedCounter[] | null = null;
  /** No counter that is not kept has more in it. */
  #mostOfOthers: number;
  /** Null until somebody asks for it: a list of limits needs none, and it takes as long as the largest. */
  #total: CounterTotal | null = null;
  /** A lower bound of how many there are. Code that deletes counters drops the whole copy. */
  #counted = 0;
  /** In which transaction they were read or changed last. */
  changedIn = latestTransaction();

  constructor(startMs: number, mostRead: number, read: Pick<CountersRead, "largest">) {
    this.startMs = startMs;
    this.#mostRead = mostRead;
    const sized = read
      .largest(mostRead)
      .map(({ subject, usage }) => ({ subject, usage, size: sizeOf(usage) }));
    this.#counters = new Map(sized.map((one) => [one.subject, one]));
    this.#mostOfOthers = sized.length < mostRead ? Number.NEGATIVE_INFINITY : (sized.at(-1)?.size ?? 0);
  }

  total(read: () => CounterTotal): CounterTotal {
    if (this.#total === null) {
      this.#total = read();
      this.changedIn = latestTransaction();
    }
    return this.#total;
  }

  /** How many there are, but not more than `most`. */
  count(most: number, read: Pick<CountersRead, "count">): number {
    if (!this.#isAll && this.#counted < most) {
      this.#counted = read.count(most);
      this.changedIn = latestTransaction();
    }
    return Math.min(this.#isAll ? this.#counters.size : this.#counted, most);
  }

  note(subject: string, before: Usage, after: Usage): void {
    this.changedIn = latestTransaction();
    this.#total &&= {
      spent: this.#total.spent + spentOf(after) - spentOf(before),
      reserved: this.#total.reserved + reservedOf(after) - reservedOf(before),
    };
    this.#place({ subject, usage: after, size: sizeOf(after) });
  }

  #place(counter: SizedCounter): void {
    this.#sorted = null;
    if (counter.size < this.#mostOfOthers) {
      this.#counters.delete(counter.subject);
      return;
    }
    this.#counters.set(counter.subject, counter);
    if (this.#counters.size <= 2 * this.#mostRead) return;
    const all = this.#largestFirst();
    this.#counters = new Map(all.slice(0, this.#mostRead).map((one) => [one.subject, one]));
    this.#mostOfOthers = all[this.#mostRead]?.size ?? this.#mostOfOthers;
  }

  /** Null if others may be among them. */
  first(limit: number): readonly Counter[] | null {
    if (this.#counters.size < limit && !this.#isAll) return null;
    this.#sorted ??= this.#largestFirst();
    return this.#sorted.slice(0, limit);
  }

  get #isAll(): boolean {
    return this.#mostOfOthers === Number.NEGATIVE_INFINITY;
  }

  #largestFirst(): SizedCounter[] {
    return [...this.#counters.values()].toSorted((one, other) => other.size - one.size);
  }
}

/** In the unit of the limit, as a double: good for an order, not for a bill. */
type SizedCounter = Counter & { readonly size: number };

const spentOf = ({ spent, over }: Usage) => spent + over;
const reservedOf = ({ held, leased }: Usage) => held + leased;
const sizeOf = (usage: Usage) => Number(spentOf(usage) + reservedOf(usage));

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
  readonly counters: readonly Counter[];
  readonly total: () => CounterTotal;
  /** How many there are, but not more than `most`. */
  readonly count: (most: number) => number;
}

export function largestCounters(
  sql: SqlStorage,
  { meterId, startMs, limit }: CountersAsked,
  read: CountersRead,
): FoundCounters {
  const known = caches.get(sql, () => new Map());
  const there = known.get(meterId);
  const kept = there?.startMs === startMs ? there.first(limit) : null;
  if (there !== undefined && kept !== null) return foundIn(there, kept, read);
  const made = new LargestCounters(startMs, Math.max(2 * limit, LEAST_READ), read);
  if (known.size >= MOST_LIMITS) known.clear();
  known.set(meterId, made);
  return foundIn(made, made.first(limit) ?? [], read);
}

const foundIn = (of: LargestCounters, counters: readonly Counter[], read: CountersRead): FoundCounters => ({
  counters,
  total: () => of.total(() => read.total()),
  count: (most) => of.count(most, read),
});

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
