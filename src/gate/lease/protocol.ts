/**
 * What an isolate and the org's object say to each other about leases.
 *
 * A slice is a part of one meter's room that the object has counted as `leased` before the isolate may use it.
 * The isolate asks (one ask at a time, numbered), reporting what it held and how much it keeps of each slice;
 * the object answers with what it adds. Both count a slice's life on their own clock: the isolate from when it
 * asked, the object from when it was asked, which is later. So the isolate always stops first, and no two
 * clocks need agree.
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
  /** How often an isolate with traffic reports. */
  syncMs: 250,
  /** The longest hold from a slice. The object makes longer ones. */
  longestHoldMs: 900_000,
} as const;

/** Holds made since the last report, numbered so that the object takes each batch once. */
export interface Batch<Hold> {
  readonly number: number;
  readonly holds: readonly Hold[];
  readonly used: ReadonlyMap<string, bigint>;
}

export interface Want {
  /** What the isolate keeps of its slice. The ask gives back the rest. */
  readonly left: bigint;
  /** The total that it would use until the next asks. */
  readonly want: bigint;
  /** The largest recent call. A slice that cannot carry several of them is useless. */
  readonly least: bigint;
}

export interface Ask<Hold> {
  readonly holder: string;
  readonly attempt: number;
  readonly batches: readonly Batch<Hold>[];
  readonly wants: ReadonlyMap<string, Want>;
  /** What it keeps of slices that it may have no more of. */
  readonly keeps?: ReadonlyMap<string, bigint>;
}

export interface Addition {
  readonly add: bigint;
  /** How long the whole slice can be used, from the ask on. Null if it was not renewed and keeps its end. */
  readonly forMs: number | null;
  /** What one isolate may hold of this meter now. The isolate gives back what is above it. */
  readonly share: bigint;
}

export interface Grant {
  readonly attempt: number;
  readonly slices: ReadonlyMap<string, Addition>;
}

/** What the object knows of a meter when it sizes a slice. */
export interface Terms {
  readonly limit: bigint;
  /** Spent and held, without what is leased. */
  readonly used: bigint;
  /** How long a slice of this meter may live from now: its life, or less if its window ends sooner. */
  readonly lifeMs: number;
  /** How long a slice that ended without a report still counts: as long as what it may have admitted. */
  readonly lingerMs: number;
}
