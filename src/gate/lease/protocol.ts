/**
 * This is what an isolate and the org's object say to each other about leases.
 *
 * A slice is a part of one meter's room that the object has counted as `leased` before the isolate may use it.
 * The isolate asks (one ask at a time, numbered), reporting what it held. It names the slices of which it wants more or
 * gives something back, and those that an unanswered ask named; all others are renewed as they are. The object answers with
 * what it adds, and with the slices that it did not renew. Both count a slice's life on their own clock: the isolate from
 * when it asked, the object from when it was asked, which is later. So the isolate always stops first, and no two clocks
 * need agree.
 *
 * Constant wherever the Worker is deployed: only its tests, which share its isolate, shorten these times.
 */
export const LEASE = {
  /** How long a slice can be used after the ask that renewed it. */
  lifeMs: 1000,
  /** The isolate stops this much early, because its clock does not advance while it computes. */
  guardMs: 20,
  /** How long an isolate may refuse by what it was told of a limit, counted from when it asked. */
  standingMs: 1000,
  /** An isolate with traffic reports at the latest so long after its last report was answered. */
  syncMs: 250,
  /** An isolate keeps its slice of a limit for this long after a call last took from it. */
  idleMs: 60_000,
  /** An isolate without any call for this long gives back all of its slices. */
  quietMs: 1500,
  /** Renewals that change nothing but the end of slices are stored this long ahead, so that most of them write no row. */
  storedMs: 10_000,
  /** The longest hold from a slice. The object makes longer ones. */
  longestHoldMs: 900_000,
} as const;

/** Holds made since the last report, numbered so that the object takes each batch once. */
export interface Batch<Hold> {
  readonly number: number;
  readonly holds: readonly Hold[];
  readonly used: ReadonlyMap<string, bigint>;
}

export interface SliceWish {
  /** The amount that the isolate keeps of its slice. The ask gives back the rest. */
  readonly left: bigint;
  /** The total that it would use until the next asks. */
  readonly want: bigint;
  /** The largest recent call. A slice that cannot carry several of them is useless. */
  readonly least: bigint;
}

export interface LeaseRequest<Hold> {
  readonly holder: string;
  readonly attempt: number;
  readonly batches: readonly Batch<Hold>[];
  readonly wants: ReadonlyMap<string, SliceWish>;
  /** The amount that it keeps of slices that it may have no more of. */
  readonly keeps?: ReadonlyMap<string, bigint>;
  /** So many slices that it does not name are kept, and renewed. Missing: those that it does not name are given back. */
  readonly renews?: number;
  /** The version of the limits that it knows. Only slices that were named with the same value are renewed unnamed. */
  readonly mark?: string;
}

export interface Addition {
  readonly add: bigint;
  /** How long the whole slice can be used, from the ask on. Null if it was not renewed and keeps its end. */
  readonly forMs: number | null;
  /** The most that one isolate may hold of this meter at this time. The isolate gives back what is above it. */
  readonly share: bigint;
}

export interface Grant {
  readonly attempt: number;
  readonly slices: ReadonlyMap<string, Addition>;
  /**
   * Slices that the ask did not name, and that were not renewed: they keep their end. Null if none of them was renewed.
   */
  readonly lapsed?: readonly string[] | null;
}

/** The facts about a meter by which the object sizes a slice. */
export interface Terms {
  readonly limit: bigint;
  /** Spent and held, without what is leased. */
  readonly used: bigint;
  /** How long a slice of this meter may live from now: its life, or less if its window ends sooner. */
  readonly lifeMs: number;
  /** How long a slice that ended without a report still counts: as long as what it may have admitted. */
  readonly lingerMs: number;
  /** When its window ends, or its limit falls, by the clock of the object. Missing: not foreseen. */
  readonly endsAt?: number;
}
