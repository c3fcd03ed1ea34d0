import { type Ask, type Batch, type Grant, LEASE, type Want } from "./protocol.ts";

/**
 * The isolate's part of one meter. Amounts are plain numbers, because thousands of calls a second take from them. No
 * call takes more than a number holds exactly, and a slice that was granted more uses only that much.
 */
export interface Slice {
  readonly meter: string;
  left: number;
  until: number;
  /** The most that this isolate may keep, as the object last said. */
  share: number;
  /** Its content after the last grant. */
  full: number;
  /** Held from this slice since the last ask, and what calls would have held if it had been large enough. */
  used: number;
  /** The part of what is used that is already in a batch. */
  batched: number;
  missed: number;
  misses: number;
  /** What an interval between asks takes. It decays when traffic falls. */
  pace: number;
  /** The largest recent call. */
  least: number;
  quiet: number;
}

/** A quarter of what a number holds exactly, so that sums of a few are exact too. */
const MOST = 2 ** 51;
const UNUSED = { used: 0, batched: 0, missed: 0, misses: 0, pace: 0, least: 0, quiet: 0 };

/** After this many asks without use, a slice is given back whole. */
const QUIET_ASKS = 2;
/** This many calls through the object between two asks are steady traffic. Fewer are decided there, one by one. */
const STEADY_CALLS = 4;
/** This many do not wait for the next ask. */
const URGENT_CALLS = 8;
/** How long an answer to an ask is awaited. */
export const GIVE_UP_MS = 2000;
/** A slice is sized for this many intervals, so that one late or lost ask does not empty it. */
const INTERVALS_AHEAD = 4;

/**
 * The maximum size of a report: the rest goes with the next. A batch has a maximum too, because it is reported whole:
 * its holds, and what they took of each slice, must reach the object together.
 */
export interface ReportBounds<Hold> {
  readonly batchBytes: number;
  readonly reportBytes: number;
  /** What a hold adds to its batch. `named` are the names that are already in the batch. */
  readonly weigh: (hold: Hold, named: Set<unknown>) => number;
}

const UNBOUNDED = { batchBytes: Infinity, reportBytes: Infinity, weigh: () => 0 };
/** What a sum adds to a batch, in addition to its meter's name. */
const SUM_BYTES = 40;

interface ClosedBatch<Hold> extends Batch<Hold> {
  readonly bytes: number;
}

/** The isolate's side of one org's leases: slices to hold from, and reports that are not acknowledged yet. */
export class Purse<Hold> {
  readonly #slices = new Map<string, Slice>();
  #made: Hold[] = [];
  #unreported = false;
  #bytes = 0;
  #named = new Set<unknown>();
  #unacknowledged: ClosedBatch<Hold>[] = [];
  #attempt = 0;
  #batch = 0;
  #acknowledged = 0;
  #pending: { attempt: number; askedAt: number; lastBatch: number } | null = null;

  readonly #holder: string;
  readonly #bounds: ReportBounds<Hold>;

  constructor(holder: string, bounds: ReportBounds<Hold> = UNBOUNDED) {
    this.#holder = holder;
    this.#bounds = bounds;
  }

  /** The slice of a meter, empty until the object grants some. Callers keep the reference. */
  slice(meter: string): Slice {
    let slice = this.#slices.get(meter);
    if (slice === undefined) {
      slice = { meter, left: 0, until: 0, share: 0, full: 0, ...UNUSED };
      this.#slices.set(meter, slice);
    }
    return slice;
  }

  /** Takes every amount from its slice, or none. */
  take(slices: readonly Slice[], amounts: readonly number[], now: number): boolean {
    for (let index = 0; index < slices.length; index += 1) {
      const slice = slices[index];
      if (slice === undefined || now >= slice.until || slice.left < (amounts[index] ?? 0)) return false;
    }
    for (let index = 0; index < slices.length; index += 1) {
      const slice = slices[index];
      const amount = amounts[index];
      if (slice === undefined || amount === undefined) continue;
      if (slice.used === slice.batched) this.#bytes += slice.meter.length + SUM_BYTES;
      slice.left -= amount;
      slice.used += amount;
      if (amount > slice.least) slice.least = amount;
    }
    this.#unreported = true;
    return true;
  }

  /**
   * What is reported of a hold, in addition to the amounts that were just taken. A rate limit has nothing to report.
   */
  note(hold: Hold): void {
    this.#made.push(hold);
    this.#bytes += this.#bounds.weigh(hold, this.#named);
    if (this.#bytes >= this.#bounds.batchBytes) this.#close();
  }

  /** Counts a call that the object decided as demand. This is how leases start. */
  miss(slice: Slice, amount: number): void {
    slice.missed = Math.min(MOST, slice.missed + amount);
    slice.misses += 1;
    if (amount > slice.least) slice.least = amount;
  }

  /** The batch in which new holds will be reported. */
  get batch(): number {
    return this.#batch + 1;
  }

  /** Whether the object has a batch. */
  hasReported(batch: number): boolean {
    return batch <= this.#acknowledged;
  }

  /** Whether an ask should be sent at once, because a slice is half used. */
  urgent(slices: readonly Slice[], now: number): boolean {
    for (const { left, full } of slices) if (left * 2 < full) return !this.asking(now);
    return false;
  }

  /** Whether steady traffic has no slices. Then the next call to the object carries an ask. */
  wanting(slices: readonly Slice[], now: number): boolean {
    for (const { misses } of slices) if (misses >= URGENT_CALLS) return !this.asking(now);
    return false;
  }

  /** One ask at a time. An ask without an answer is given up after a while, even if its sender is gone. */
  asking(now: number): boolean {
    return this.#pending !== null && now < this.#pending.askedAt + GIVE_UP_MS;
  }

  /** Whether there is nothing to report, give back or ask for. */
  get idle(): boolean {
    if (this.#unreported || this.#unacknowledged.length > 0 || this.#pending !== null) return false;
    for (const { left, misses } of this.#slices.values()) {
      if (left > 0 || misses >= STEADY_CALLS) return false;
    }
    return true;
  }

  /** Ends an interval in which there was nothing to ask. */
  rest(): void {
    for (const slice of this.#slices.values()) Object.assign(slice, UNUSED);
  }

  /** The next ask. It gives back slices that have ended, or are more than the traffic needs. */
  ask(now: number): Ask<Hold> {
    if (this.#unreported) this.#close();
    const batches = this.#fitting();
    const unsent = usedIn(this.#unacknowledged.slice(batches.length));
    const wants = new Map<string, Want>();
    for (const slice of this.#slices.values()) {
      const want = demand(slice);
      if (now >= slice.until) slice.left = 0;
      slice.left = Math.min(slice.left, want, slice.share);
      // Of one that has gone back nothing is half used: it would be asked for again at each call, and each ask ends an interval.
      if (slice.left === 0) slice.full = 0;
      if (slice.left > 0 || want > 0) {
        wants.set(slice.meter, {
          left: BigInt(slice.left),
          want: BigInt(want),
          least: BigInt(slice.least),
        });
      }
    }
    // What was used and is not in this report has not been given back.
    for (const [meter, sum] of unsent) {
      const { left, ...rest } = wants.get(meter) ?? { left: 0n, want: 0n, least: 0n };
      wants.set(meter, { ...rest, left: left + sum });
    }
    this.#attempt += 1;
    const lastBatch = batches.at(-1)?.number ?? this.#acknowledged;
    this.#pending = { attempt: this.#attempt, askedAt: now, lastBatch };
    return { holder: this.#holder, attempt: this.#attempt, batches, wants };
  }

  /** The oldest batches that fit into one report, and at least one. */
  #fitting(): ClosedBatch<Hold>[] {
    let bytes = 0;
    const over = this.#unacknowledged.findIndex((batch, index) => {
      bytes += batch.bytes;
      return index > 0 && bytes > this.#bounds.reportBytes;
    });
    return over < 0 ? [...this.#unacknowledged] : this.#unacknowledged.slice(0, over);
  }

  /** Takes what the object granted. False if the answer is to an ask that was given up, and is ignored. */
  granted(grant: Grant): boolean {
    const pending = this.#pending;
    if (pending === null || pending.attempt !== grant.attempt) return false;
    this.#pending = null;
    this.#acknowledged = pending.lastBatch;
    this.#unacknowledged = this.#unacknowledged.filter(({ number }) => number > pending.lastBatch);
    for (const [meter, { add, forMs, share }] of grant.slices) {
      const slice = this.slice(meter);
      slice.left = Math.min(MOST, slice.left + inNumber(add));
      slice.full = slice.left;
      slice.share = inNumber(share);
      if (forMs !== null) slice.until = pending.askedAt + forMs - LEASE.guardMs;
    }
    return true;
  }

  /** Gives up on an ask. What it reported is sent again with the next, and its answer is void. */
  lost(attempt: number): void {
    if (this.#pending?.attempt === attempt) this.#pending = null;
  }

  /** Forgets empty slices once nobody holds a reference, because the meters have changed. */
  prune(): void {
    for (const [meter, slice] of this.#slices) {
      if (slice.left === 0 && slice.used === 0) this.#slices.delete(meter);
    }
  }

  #close(): void {
    const used = new Map<string, bigint>();
    for (const slice of this.#slices.values()) {
      if (slice.used > slice.batched) used.set(slice.meter, BigInt(slice.used - slice.batched));
      slice.batched = slice.used;
    }
    this.#batch += 1;
    this.#unacknowledged.push({ number: this.#batch, holds: this.#made, used, bytes: this.#bytes });
    this.#made = [];
    this.#bytes = 0;
    this.#named = new Set();
    this.#unreported = false;
  }
}

function usedIn(batches: readonly Batch<unknown>[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { used } of batches) {
    for (const [meter, sum] of used) sums.set(meter, (sums.get(meter) ?? 0n) + sum);
  }
  return sums;
}

/** What a slice should hold, from what the last interval took. Starts the next interval. */
function demand(slice: Slice): number {
  const steady = slice.left > 0 || slice.used > 0 || slice.misses >= STEADY_CALLS;
  const taken = steady ? slice.used + slice.missed : 0;
  slice.used = 0;
  slice.batched = 0;
  slice.missed = 0;
  slice.misses = 0;
  slice.quiet = taken === 0 ? slice.quiet + 1 : 0;
  if (slice.quiet >= QUIET_ASKS) {
    slice.pace = 0;
    slice.least = 0;
  } else slice.pace = taken > slice.pace ? taken : Math.floor((slice.pace + taken) / 2);
  return Math.min(MOST, slice.pace * INTERVALS_AHEAD);
}

function inNumber(amount: bigint): number {
  return Math.min(MOST, Number(amount));
}
