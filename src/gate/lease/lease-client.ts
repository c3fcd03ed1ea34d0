import {
  type ClosedBatch,
  takeFittingBatches,
  type ReportBounds,
  SUM_BYTES,
  UNBOUNDED,
  sumUsed,
} from "./batches.ts";
import { type LeaseRequest, type Grant, LEASE, type SliceWish } from "./protocol.ts";
import { MOST_IN_SLICE, newSlice, type Slice, UNUSED, wantOf } from "./slice.ts";

export type { ReportBounds } from "./batches.ts";
export type { Slice } from "./slice.ts";

/** Where an isolate has no slices, so many calls through the object between two asks are steady traffic. */
const STEADY_CALLS = 3;
/** This many of one limit do not wait for the next ask. */
const URGENT_CALLS = 8;
/** How many slices an ask names. The rest waits for the next. */
export const MOST_NAMED = 500;
/** How long an answer to an ask is awaited. */
export const GIVE_UP_MS = 2000;
const NOTHING = { left: 0n, want: 0n, least: 0n };

/** An ask whose answer has not come. */
interface PendingExchange {
  readonly attempt: number;
  readonly askedAt: number;
  readonly lastBatch: number;
  readonly renews: boolean;
  readonly named: readonly Slice[];
}

/** The isolate's side of one org's leases: slices to hold from, and reports that are not acknowledged yet. */
export class LeaseClient<Hold> {
  readonly #slices = new Map<string, Slice>();
  #made: Hold[] = [];
  #unreported = false;
  #bytes = 0;
  #named = new Set<unknown>();
  #unacknowledged: ClosedBatch<Hold>[] = [];
  #attempt = 0;
  #batch = 0;
  #acknowledged = 0;
  #pending: PendingExchange | null = null;
  /** Slices that were used since the last batch was closed. */
  #touched: Slice[] = [];
  /** Calls that the object decided since the last ask, of all slices together. */
  #misses = 0;
  /** Calls since the last ask, how many of them are decisions, and when an ask last found that there were any. */
  #calls = 0;
  #calledAt = 0;
  #decisions = 0;
  #decidedAt = 0;
  #isEnding = false;

  readonly #holder: string;
  readonly #bounds: ReportBounds<Hold>;

  constructor(holder: string, bounds: ReportBounds<Hold> = UNBOUNDED) {
    this.#holder = holder;
    this.#bounds = bounds;
  }

  /** The slice of a meter, empty until the object grants some. Callers keep the reference. */
  slice(meter: string): Slice {
    let slice = this.#slices.get(meter);
    if (slice === undefined) this.#slices.set(meter, (slice = newSlice(meter)));
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
      if (slice.used === slice.batched) {
        this.#bytes += slice.meter.length + SUM_BYTES;
        this.#touched.push(slice);
      }
      slice.left -= amount;
      slice.used += amount;
      if (amount > slice.least) slice.least = amount;
    }
    this.#unreported = true;
    this.#calls += 1;
    return true;
  }

  /**
   * Notes what is reported of a hold, in addition to the amounts that were just taken. A rate limit has nothing to
   * report.
   */
  note(hold: Hold): void {
    this.#made.push(hold);
    this.#decisions += 1;
    this.#bytes += this.#bounds.weigh(hold, this.#named);
    if (this.#bytes >= this.#bounds.batchBytes) this.#close();
  }

  /** Counts a call that the object decided as demand. This is how leases start. */
  miss(slice: Slice, amount: number): void {
    slice.missed = Math.min(MOST_IN_SLICE, slice.missed + amount);
    slice.misses += 1;
    this.#misses += 1;
    this.#calls += 1;
    if (amount > slice.least) slice.least = amount;
  }

  /** Counts a decision of the object, with what it took of each slice, as demand. */
  missAll(slices: readonly Slice[], amounts: readonly number[]): void {
    for (const [index, slice] of slices.entries()) this.miss(slice, amounts[index] ?? 0);
    this.#decisions += 1;
  }

  /** The batch in which new holds will be reported. */
  get batch(): number {
    return this.#batch + 1;
  }

  /** Returns whether the object has a batch. */
  hasReported(batch: number): boolean {
    return batch <= this.#acknowledged;
  }

  /** Returns whether an ask should be sent at once, because a slice is half used. */
  urgent(slices: readonly Slice[], now: number): boolean {
    for (const { left, full } of slices) if (left * 2 < full) return !this.asking(now);
    return false;
  }

  /** Returns whether steady traffic has no slices. Then the next call to the object carries an ask. */
  wanting(slices: readonly Slice[], now: number): boolean {
    for (const { misses } of slices) if (misses >= URGENT_CALLS) return !this.asking(now);
    return false;
  }

  /** One ask at a time. An ask without an answer is given up after a while, even if its sender is gone. */
  asking(now: number): boolean {
    return this.#pending !== null && now < this.#pending.askedAt + GIVE_UP_MS;
  }

  /** Returns whether it has slices, and so asks again and again. */
  get isActive(): boolean {
    for (const { left } of this.#slices.values()) if (left > 0) return true;
    return false;
  }

  /** Returns whether there is nothing to report, give back or ask for. */
  get idle(): boolean {
    if (this.#unreported || this.#unacknowledged.length > 0 || this.#pending !== null) return false;
    if (this.#misses >= STEADY_CALLS) return false;
    for (const { left, isUnsure } of this.#slices.values()) if (left > 0 || isUnsure) return false;
    return true;
  }

  /** Ends an interval in which there was nothing to ask. */
  rest(): void {
    this.#misses = 0;
    for (const slice of this.#slices.values()) Object.assign(slice, UNUSED);
  }

  /** Makes the next asks give back all that is left. Traffic after them begins anew. */
  end(): void {
    this.#isEnding = true;
  }

  /**
   * The next ask. It renews all slices but those that it names. Without traffic it gives back all of them, and without decisions
   * those that no other call takes from.
   */
  ask(now: number): LeaseRequest<Hold> {
    if (this.#unreported) this.#close();
    if (this.#calls > 0) this.#calledAt = now;
    if (this.#decisions > 0) this.#decidedAt = now;
    const isEnding = this.#isEnding || now >= this.#calledAt + LEASE.quietMs;
    const batches = takeFittingBatches(this.#unacknowledged, this.#bounds);
    const wants = new Map<string, SliceWish>();
    const named = this.#name(wants, now, isEnding);
    // An amount that was used and is not in this report has not been given back.
    for (const [meter, sum] of sumUsed(this.#unacknowledged.slice(batches.length))) {
      const want = wants.get(meter) ?? (isEnding ? NOTHING : null);
      if (want !== null) wants.set(meter, { ...want, left: want.left + sum });
    }
    this.#calls = 0;
    this.#decisions = 0;
    this.#misses = 0;
    this.#attempt += 1;
    const lastBatch = batches.at(-1)?.number ?? this.#acknowledged;
    this.#pending = { attempt: this.#attempt, askedAt: now, lastBatch, renews: !isEnding, named };
    const ask = { holder: this.#holder, attempt: this.#attempt, batches, wants };
    return isEnding ? ask : { ...ask, renews: this.#unnamed(wants) };
  }

  /** Returns what the ask says about single slices. At its end an isolate keeps nothing, and so it names nothing. */
  #name(wants: Map<string, SliceWish>, now: number, isEnding: boolean): Slice[] {
    const named: Slice[] = [];
    // Reads take from a slice of their own. They keep those of decisions no longer than no call at all does.
    const isDeciding = now < this.#decidedAt + LEASE.quietMs;
    const keptMs = isDeciding ? LEASE.idleMs : LEASE.quietMs;
    for (const slice of this.#slices.values()) {
      if (!isEnding && wants.size >= MOST_NAMED) break;
      const want = wantOf(slice, now, isEnding ? 0 : keptMs);
      if (want === null) continue;
      slice.isUnsure = true;
      named.push(slice);
      if (!isEnding) wants.set(slice.meter, want);
    }
    if (wants.size >= MOST_NAMED) this.#putLast(named);
    return named;
  }

  /** So that the next ask gets to the others. */
  #putLast(named: readonly Slice[]): void {
    for (const slice of named) {
      this.#slices.delete(slice.meter);
      this.#slices.set(slice.meter, slice);
    }
  }

  #unnamed(wants: ReadonlyMap<string, SliceWish>): number {
    let kept = 0;
    for (const { meter, left } of this.#slices.values()) if (left > 0 && !wants.has(meter)) kept += 1;
    return kept;
  }

  /** Takes what the object granted. False if the answer is to an ask that was given up, and is ignored. */
  granted(grant: Grant): boolean {
    const pending = this.#pending;
    if (pending === null || pending.attempt !== grant.attempt) return false;
    this.#pending = null;
    this.#isEnding = false;
    this.#acknowledged = pending.lastBatch;
    this.#unacknowledged = this.#unacknowledged.filter(({ number }) => number > pending.lastBatch);
    for (const slice of pending.named) slice.isUnsure = false;
    if (pending.renews) this.#renew(grant, pending);
    for (const [meter, { add, forMs, share }] of grant.slices) {
      const slice = this.slice(meter);
      slice.left = Math.min(MOST_IN_SLICE, slice.left + inNumber(add));
      slice.full = slice.left;
      slice.share = inNumber(share);
      slice.hasLapsed = forMs === null;
      if (forMs !== null) slice.until = pending.askedAt + forMs - LEASE.guardMs;
    }
    return true;
  }

  /** All slices but those that were named, or that the object has something to say about, last for another life. */
  #renew({ slices, lapsed = [] }: Grant, { askedAt, named }: PendingExchange): void {
    const others = new Set<string>(lapsed);
    for (const { meter } of named) others.add(meter);
    for (const slice of this.#slices.values()) {
      if (slice.left === 0 || slices.has(slice.meter)) continue;
      slice.hasLapsed = lapsed === null || others.has(slice.meter);
      if (!slice.hasLapsed) slice.until = askedAt + LEASE.lifeMs - LEASE.guardMs;
    }
  }

  /** Gives up on an ask. Its report is sent again with the next, and its answer is void. */
  lost(attempt: number): void {
    if (this.#pending?.attempt === attempt) this.#pending = null;
  }

  /** A kind of calls takes from these slices. */
  retain(slices: readonly Slice[]): void {
    for (const slice of slices) {
      slice.users += 1;
      slice.isDropped = false;
    }
  }

  /** A kind of calls is forgotten. Slices that only it took from go back. */
  release(slices: readonly Slice[]): void {
    for (const slice of slices) {
      slice.users -= 1;
      slice.isDropped = slice.users === 0;
    }
  }

  /** All kinds of calls are forgotten, because the meters have changed. The next ones may take from the same slices. */
  releaseAll(): void {
    for (const slice of this.#slices.values()) slice.users = 0;
  }

  /** Forgets empty slices that nobody takes from. Returns their meters. */
  prune(): string[] {
    const pruned: string[] = [];
    for (const [meter, { left, used, misses, isUnsure, users }] of this.#slices) {
      if (left > 0 || used > 0 || misses > 0 || isUnsure || users > 0) continue;
      this.#slices.delete(meter);
      pruned.push(meter);
    }
    return pruned;
  }

  #close(): void {
    const used = new Map<string, bigint>();
    for (const slice of this.#touched) {
      if (slice.used > slice.batched) used.set(slice.meter, BigInt(slice.used - slice.batched));
      slice.batched = slice.used;
    }
    this.#touched = [];
    this.#batch += 1;
    this.#unacknowledged.push({ number: this.#batch, holds: this.#made, used, bytes: this.#bytes });
    this.#made = [];
    this.#bytes = 0;
    this.#named = new Set();
    this.#unreported = false;
  }
}

function inNumber(amount: bigint): number {
  return Math.min(MOST_IN_SLICE, Number(amount));
}
