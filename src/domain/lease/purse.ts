import { type Ask, type Batch, type Grant, LEASE, type Want } from "./protocol.ts";
import { smaller } from "./size.ts";

/** The isolate's part of one meter. */
export interface Slice {
  readonly meter: string;
  left: bigint;
  until: number;
  /** The most this isolate may keep, as the object last said. */
  share: bigint;
  /** What was in it after the last grant. */
  full: bigint;
  /** Held from this slice since the last ask, and what calls would have held had it been large enough. */
  used: bigint;
  missed: bigint;
  misses: number;
  /** What an interval between asks takes, decaying when traffic falls. */
  pace: bigint;
  /** The largest single call lately. */
  least: bigint;
  quiet: number;
}

const UNUSED = { used: 0n, missed: 0n, misses: 0, pace: 0n, least: 0n, quiet: 0 };

/** After so many asks without use a slice goes back whole. */
const QUIET_ASKS = 2;
/** So many calls through the object between two asks are steady traffic; fewer are decided there, one by one. */
const STEADY_CALLS = 4;
/** So many need not wait for the next ask's time. */
const URGENT_CALLS = 8;
/** A slice is sized for so many intervals, so that one late or lost ask does not empty it. */
const INTERVALS_AHEAD = 4n;

/** The isolate's side of the leases of one org: slices to hold from, and reports not yet acknowledged. */
export class Purse<Hold> {
  readonly #slices = new Map<string, Slice>();
  #made: Hold[] = [];
  #unreported = false;
  #unacknowledged: Batch<Hold>[] = [];
  #attempt = 0;
  #batch = 0;
  #acknowledged = 0;
  #pending: { attempt: number; askedAt: number } | null = null;

  readonly #holder: string;

  constructor(holder: string) {
    this.#holder = holder;
  }

  /** The slice of a meter, empty until the object has granted some: callers keep the reference. */
  slice(meter: string): Slice {
    let slice = this.#slices.get(meter);
    if (slice === undefined) {
      slice = { meter, left: 0n, until: 0, share: 0n, full: 0n, ...UNUSED };
      this.#slices.set(meter, slice);
    }
    return slice;
  }

  /** Takes every amount from its slice, or none. */
  take(slices: readonly Slice[], amounts: readonly bigint[], now: number): boolean {
    for (let index = 0; index < slices.length; index += 1) {
      const slice = slices[index];
      if (slice === undefined || now >= slice.until || slice.left < (amounts[index] ?? 0n)) return false;
    }
    for (let index = 0; index < slices.length; index += 1) {
      const slice = slices[index];
      const amount = amounts[index];
      if (slice === undefined || amount === undefined) continue;
      slice.left -= amount;
      slice.used += amount;
      if (amount > slice.least) slice.least = amount;
    }
    this.#unreported = true;
    return true;
  }

  /** What is reported of a hold, beside the amounts; a rate limit leaves nothing to report. */
  note(hold: Hold): void {
    this.#made.push(hold);
  }

  /** Counts a call that the object decided as demand: this is how leases start. */
  miss(slice: Slice, amount: bigint): void {
    slice.missed += amount;
    slice.misses += 1;
    if (amount > slice.least) slice.least = amount;
  }

  /** The batch that what is held now will be reported in. */
  get batch(): number {
    return this.#batch + 1;
  }

  /** Whether the object has a batch. */
  hasReported(batch: number): boolean {
    return batch <= this.#acknowledged;
  }

  /** Whether an ask should not wait for its time: a slice is half used, or steady traffic has none. */
  urgent(slices: readonly Slice[]): boolean {
    if (this.#pending !== null) return false;
    return slices.some((slice) => slice.left * 2n < slice.full || slice.misses === URGENT_CALLS);
  }

  get asking(): boolean {
    return this.#pending !== null;
  }

  /** Whether nothing is to be reported, given back or asked for. */
  get idle(): boolean {
    if (this.#unreported || this.#unacknowledged.length > 0 || this.#pending !== null) return false;
    for (const { left, misses } of this.#slices.values()) {
      if (left > 0n || misses >= STEADY_CALLS) return false;
    }
    return true;
  }

  /** Ends an interval in which there was nothing to ask. */
  rest(): void {
    for (const slice of this.#slices.values()) Object.assign(slice, UNUSED);
  }

  /** The next ask. Slices that have ended, or are more than the traffic needs, are given back by it. */
  ask(now: number): Ask<Hold> {
    if (this.#unreported) this.#close();
    const wants = new Map<string, Want>();
    for (const slice of this.#slices.values()) {
      const want = demand(slice);
      if (now >= slice.until) slice.left = 0n;
      slice.left = smaller(slice.left, smaller(want, slice.share));
      if (slice.left > 0n || want > 0n) {
        wants.set(slice.meter, { left: slice.left, want, least: slice.least });
      }
    }
    this.#attempt += 1;
    this.#pending = { attempt: this.#attempt, askedAt: now };
    return { holder: this.#holder, attempt: this.#attempt, batches: [...this.#unacknowledged], wants };
  }

  /** Takes what the object granted. An answer to an ask that was given up counts for nothing. */
  granted(grant: Grant): void {
    const pending = this.#pending;
    if (pending === null || pending.attempt !== grant.attempt) return;
    this.#pending = null;
    this.#unacknowledged = [];
    this.#acknowledged = this.#batch;
    for (const [meter, { add, forMs, share }] of grant.slices) {
      const slice = this.slice(meter);
      slice.left += add;
      slice.full = slice.left;
      slice.share = share;
      if (forMs !== null) slice.until = pending.askedAt + forMs - LEASE.guardMs;
    }
  }

  /** Gives up on an ask: what it reported goes out again with the next, and its answer is void. */
  lost(attempt: number): void {
    if (this.#pending?.attempt === attempt) this.#pending = null;
  }

  /** Forgets slices with nothing in them, once nobody holds a reference: the meters have changed. */
  prune(): void {
    for (const [meter, slice] of this.#slices) {
      if (slice.left === 0n && slice.used === 0n) this.#slices.delete(meter);
    }
  }

  #close(): void {
    const used = new Map<string, bigint>();
    for (const slice of this.#slices.values()) if (slice.used > 0n) used.set(slice.meter, slice.used);
    this.#batch += 1;
    this.#unacknowledged.push({ number: this.#batch, holds: this.#made, used });
    this.#made = [];
    this.#unreported = false;
  }
}

/** What a slice should hold, from what the last interval took; starts the next interval. */
function demand(slice: Slice): bigint {
  const steady = slice.left > 0n || slice.used > 0n || slice.misses >= STEADY_CALLS;
  const taken = steady ? slice.used + slice.missed : 0n;
  slice.used = 0n;
  slice.missed = 0n;
  slice.misses = 0;
  slice.quiet = taken === 0n ? slice.quiet + 1 : 0;
  if (slice.quiet >= QUIET_ASKS) {
    slice.pace = 0n;
    slice.least = 0n;
  } else slice.pace = taken > slice.pace ? taken : (slice.pace + taken) / 2n;
  return slice.pace * INTERVALS_AHEAD;
}
