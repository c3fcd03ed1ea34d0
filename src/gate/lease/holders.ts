import { LEASE } from "./protocol.ts";
import { isRateKey } from "../../domain/rate/policy.ts";

/** One isolate's part of one meter: what it may still have unreported, and until when it may use it. */
export interface OutstandingSlice {
  left: bigint;
  until: number;
  lingerMs: number;
  /** When the isolate was first given some of it. 0 or missing if that is not known. */
  since?: number;
  /** How long it lives each time, and when it ends for good. Missing: that is found out when it is next renewed. */
  lifeMs?: number | undefined;
  endsAt?: number | undefined;
  /** Something has changed since it was sized: it is renewed only as its terms allow. Missing as well. */
  isPressed?: boolean | undefined;
  /** The version of the limits that its isolate knew. */
  mark?: string | undefined;
}

/** The numbers that must survive a restart of the object so that a report counts once. */
interface Counters {
  attempt: number;
  batch: number;
  askedAt: number;
  /** Until when its slices may be used, as storage has it. Renewals up to then write nothing. */
  until?: number;
  /** The last batch of refusals. */
  refusals?: number;
}

export interface StoredHolder extends Counters {
  readonly holder: string;
  readonly slices: readonly (readonly [meter: string, slice: OutstandingSlice])[];
}

export interface Holder extends Counters {
  readonly slices: Map<string, OutstandingSlice>;
}

/** Of one isolate: 5,000 customers with four limits each. Calls that touch others are decided by the object. */
export const MOST_SLICES = 20_000;
/** The most slices of all isolates together: about 60 MB of the object's memory. */
const MOST_OF_ALL = 60_000;

/** Returns whether a slice still counts against its limit. */
export function isCounted({ until, lingerMs }: OutstandingSlice, now: number): boolean {
  return now < until + lingerMs;
}

/**
 * Returns whether holds from a slice may still be reported. The window of a rate limit can be over long before that:
 * its slice counts no more, and still says what the isolate was given.
 */
export function mayCover(meter: string, slice: OutstandingSlice, now: number): boolean {
  return now < coversUntil(meter, slice);
}

function coversUntil(meter: string, { until, lingerMs }: OutstandingSlice): number {
  return until + (isRateKey(meter) ? Math.max(lingerMs, LEASE.longestHoldMs) : lingerMs);
}

/** When an isolate that has no slices, and is silent, is forgotten: none of its holds can be open then. */
export function goneAt({ askedAt }: Pick<Counters, "askedAt">): number {
  return askedAt + LEASE.lifeMs + LEASE.longestHoldMs;
}

/** The isolates that have slices, and which. */
export class Holders {
  readonly #holders = new Map<string, Holder>();
  readonly #byMeter = new Map<string, Map<string, OutstandingSlice>>();
  #count = 0;
  /** No slice can be orphaned, and no isolate gone, before this time. Renewals make both later. */
  #sweepAt = Number.NEGATIVE_INFINITY;

  /** Returns what isolates have of a meter now. */
  leased(meter: string, now: number): bigint {
    let sum = 0n;
    for (const slice of this.slicesOf(meter, now)) sum += slice.left;
    return sum;
  }

  /** The slices of one meter that still count. */
  *slicesOf(meter: string, now: number): Generator<OutstandingSlice> {
    for (const slice of this.#byMeter.get(meter)?.values() ?? []) {
      if (isCounted(slice, now)) yield slice;
    }
  }

  /** A limit has come near: slices of it are no longer renewed unseen. */
  press(meter: string): void {
    for (const slice of this.#byMeter.get(meter)?.values() ?? []) slice.isPressed = true;
  }

  /** The limits have changed. */
  pressAll(): void {
    for (const slice of this.all()) slice.isPressed = true;
  }

  /** When the first slice will be orphaned if no report comes, for all isolates or for one. Null if there is none. */
  orphanedAt(counts: (meter: string) => boolean, holder?: string): number | null {
    let first: number | null = null;
    for (const [name, { slices }] of this.#holders) {
      if (holder !== undefined && name !== holder) continue;
      for (const [meter, { until, lingerMs }] of slices) {
        if ((first === null || until + lingerMs < first) && counts(meter)) first = until + lingerMs;
      }
    }
    return first;
  }

  /** For storage: what one isolate has, or what all have. */
  *holders(): Generator<StoredHolder> {
    for (const [holder, { slices, ...counters }] of this.#holders) {
      yield { holder, ...counters, slices: [...slices] };
    }
  }

  holder(name: string): StoredHolder {
    const { slices, ...counters } = this.open(name);
    return { holder: name, ...counters, slices: [...slices] };
  }

  /** Without its slices. */
  counters(name: string): Counters {
    return this.open(name);
  }

  /**
   * Returns whether storage must learn of an isolate's ask that changed so much. If it changed nothing but the end of
   * slices, storage gets to know more of the time to come, so that the next ones need not be stored.
   */
  mustStore(name: string, hasChanged: boolean, now: number): boolean {
    const holder = this.open(name);
    const ends = now + LEASE.lifeMs;
    const stored = holder.until ?? 0;
    if (!hasChanged && ends <= stored) return false;
    holder.until = hasChanged ? Math.max(ends, stored) : ends + LEASE.storedMs;
    return true;
  }

  slice(name: string, meter: string): OutstandingSlice | undefined {
    return this.#holders.get(name)?.slices.get(meter);
  }

  /** Slices as they were stored. Their renewal shows whether they are still of use. */
  restore({ holder: name, slices, ...counters }: StoredHolder): void {
    const holder = this.open(name);
    Object.assign(holder, counters);
    for (const [meter, slice] of slices) this.keep(name, holder, meter, { ...slice, isPressed: true });
  }

  protected get sweepAt(): number {
    return this.#sweepAt;
  }

  protected planSweep(): void {
    let first = Number.POSITIVE_INFINITY;
    for (const { slices, askedAt } of this.#holders.values()) {
      for (const [meter, slice] of slices) first = Math.min(first, coversUntil(meter, slice));
      if (slices.size === 0) first = Math.min(first, goneAt({ askedAt }));
    }
    this.#sweepAt = first;
  }

  protected entries(): Iterable<[string, Holder]> {
    return this.#holders;
  }

  protected *all(): Generator<OutstandingSlice> {
    for (const { slices } of this.#holders.values()) yield* slices.values();
  }

  protected known(name: string): Holder | undefined {
    return this.#holders.get(name);
  }

  protected open(name: string): Holder {
    let holder = this.#holders.get(name);
    if (holder === undefined) {
      holder = { attempt: 0, batch: 0, askedAt: 0, slices: new Map() };
      this.#holders.set(name, holder);
      this.#sweepAt = Number.NEGATIVE_INFINITY;
    }
    return holder;
  }

  protected forget(name: string): void {
    this.#holders.delete(name);
  }

  /** True if an isolate gets no slices of further meters. */
  protected isFull({ slices }: Holder): boolean {
    return slices.size >= MOST_SLICES || this.#count >= MOST_OF_ALL;
  }

  /** As its isolate counts it, and from later on. */
  protected renewed(meter: string, slice: OutstandingSlice, now: number): void {
    const countedUntil = slice.until + slice.lingerMs;
    slice.until = Math.max(slice.until, now + LEASE.lifeMs);
    // An amount that counts for a fixed window does so until the window ends.
    if (slice.endsAt !== undefined && isRateKey(meter)) {
      slice.lingerMs = Math.max(0, countedUntil - slice.until);
    }
  }

  protected keep(name: string, holder: Holder, meter: string, slice: OutstandingSlice): void {
    if (!holder.slices.has(meter)) this.#count += 1;
    holder.slices.set(meter, slice);
    const shared = this.#byMeter.get(meter) ?? new Map<string, OutstandingSlice>();
    this.#byMeter.set(meter, shared.set(name, slice));
    this.#sweepAt = Math.min(this.#sweepAt, coversUntil(meter, slice));
  }

  protected drop(name: string, holder: Holder, meter: string): void {
    if (holder.slices.delete(meter)) this.#count -= 1;
    if (holder.slices.size === 0) this.#sweepAt = Math.min(this.#sweepAt, goneAt(holder));
    const shared = this.#byMeter.get(meter);
    shared?.delete(name);
    if (shared?.size === 0) this.#byMeter.delete(meter);
  }
}
