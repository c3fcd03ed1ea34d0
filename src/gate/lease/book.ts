import { type Addition, type Ask, type Batch, type Grant, LEASE, type Terms } from "./protocol.ts";
import { isRateKey } from "../../domain/rate-policy.ts";
import { additionTo, shareOf, smaller } from "./size.ts";

/** One isolate's part of one meter: what it may still have unreported, and until when it may use it. */
export interface Outstanding {
  left: bigint;
  until: number;
  lingerMs: number;
  /** When the isolate was first given some of it. 0 or missing if that is not known. */
  since?: number;
}

/** What must survive a restart of the object so that a report counts once. */
interface Counters {
  attempt: number;
  batch: number;
  askedAt: number;
  /** The last batch of refusals. */
  refusals?: number;
}

export interface StoredHolder extends Counters {
  readonly holder: string;
  readonly slices: readonly (readonly [meter: string, slice: Outstanding])[];
}

interface Holder extends Counters {
  readonly slices: Map<string, Outstanding>;
}

/** What an ask did to one meter. */
export interface Move {
  /** Held from the slice and now reported. */
  used: bigint;
  /** Given back unused. */
  returned: bigint;
  /** Newly leased. */
  added: bigint;
  /** The latest time at which what is now reported was taken. */
  readonly until: number;
}

export interface Settled<Hold> {
  readonly grant: Grant;
  /** Holds reported for the first time. */
  readonly holds: readonly Hold[];
  readonly moves: ReadonlyMap<string, Move>;
}

/** A slice that ended without a report and whose last possible hold has ended. */
export interface Orphan {
  readonly meter: string;
  readonly left: bigint;
}

/** Whether a slice still counts against its limit. */
function isCounted({ until, lingerMs }: Outstanding, now: number): boolean {
  return now < until + lingerMs;
}

/**
 * Whether holds from a slice may still be reported. The window of a rate limit can be over long before that: its slice
 * counts no more, and still says what the isolate was given.
 */
export function mayCover(meter: string, slice: Outstanding, now: number): boolean {
  return isCounted(slice, now) || (isRateKey(meter) && now < slice.until + LEASE.longestHoldMs);
}

/**
 * Of one isolate. They are stored as one text, at each of its reports, and each of them is at most some 500 characters. Calls
 * that touch others are decided by the object.
 */
export const MOST_SLICES = 1000;

/**
 * The object's side of the leases: which isolate has how much of which meter. Everything in it counts against the
 * limit. It leaves in two ways only: with the isolate's own report or, without one, at the end of the longest hold that
 * the slice may have given out.
 */
export class LeaseBook {
  readonly #holders = new Map<string, Holder>();
  readonly #byMeter = new Map<string, Map<string, Outstanding>>();

  /** What isolates have of a meter now. */
  leased(meter: string, now: number): bigint {
    let sum = 0n;
    for (const slice of this.slicesOf(meter, now)) sum += slice.left;
    return sum;
  }

  /** How long until no slice given so far can be used. A lowered limit waits that long before it returns. */
  waitOutMs(now: number): number {
    let until = now;
    for (const { slices } of this.#holders.values()) {
      for (const slice of slices.values()) if (slice.left > 0n) until = Math.max(until, slice.until);
    }
    return until - now;
  }

  /**
   * Takes an ask: reported holds once, what the isolate no longer keeps, then additions. Null for an ask that came late
   * or twice, because a later one includes everything in it.
   */
  settle<Hold>(ask: Ask<Hold>, termsOf: (meter: string) => Terms | null, now: number): Settled<Hold> | null {
    const holder = this.#holder(ask.holder);
    if (ask.attempt <= holder.attempt) return null;
    holder.attempt = ask.attempt;
    holder.askedAt = now;
    const fresh = ask.batches.filter((batch) => batch.number > holder.batch);
    for (const { number } of fresh) holder.batch = Math.max(holder.batch, number);
    const moves = this.#report(ask, holder, fresh, now);
    const slices = new Map<string, Addition>();
    const holders = this.#active(now, ask.holder);
    for (const [meter, want] of ask.wants) {
      const terms = termsOf(meter);
      if (terms === null) continue;
      const move = moves.get(meter) ?? { used: 0n, returned: 0n, added: 0n, until: now };
      const sizing = { limit: terms.limit, used: terms.used + move.used, holders, ...want };
      const addition = this.#extend(ask.holder, holder, meter, { asked: sizing, terms, now });
      move.added = addition.add;
      moves.set(meter, move);
      slices.set(meter, addition);
    }
    const holds = fresh.flatMap((batch) => batch.holds);
    return { grant: { attempt: ask.attempt, slices }, holds, moves };
  }

  /** Whether a batch of an isolate's refusals is new. If so, it counts as taken. */
  takesRefusals(name: string, number: number): boolean {
    const holder = this.#holder(name);
    if (number <= (holder.refusals ?? 0)) return false;
    holder.refusals = number;
    return true;
  }

  /** Takes out of the slices what was held, and what the isolate does not keep. */
  #report(
    ask: Ask<unknown>,
    holder: Holder,
    fresh: readonly Batch<unknown>[],
    now: number,
  ): Map<string, Move> {
    const moves = new Map<string, Move>();
    for (const { used } of fresh) {
      for (const [meter, sum] of used) {
        const until = Math.min(now, holder.slices.get(meter)?.until ?? now);
        const move = moves.get(meter) ?? { used: 0n, returned: 0n, added: 0n, until };
        move.used += sum;
        moves.set(meter, move);
      }
    }
    for (const [meter, slice] of holder.slices) {
      const move = moves.get(meter) ?? { used: 0n, returned: 0n, added: 0n, until: now };
      const unused = slice.left - move.used;
      const said = ask.wants.get(meter)?.left ?? ask.keeps?.get(meter) ?? 0n;
      const kept = smaller(unused < 0n ? 0n : unused, said);
      move.returned = unused < 0n ? 0n : unused - kept;
      slice.left = kept;
      moves.set(meter, move);
      if (kept === 0n) this.#drop(ask.holder, holder, meter);
    }
    return moves;
  }

  /**
   * Drops slices whose last possible hold has ended, and isolates that have none and were silent for longer than any of
   * their holds lives.
   */
  sweep(now: number): { readonly orphans: readonly Orphan[]; readonly gone: readonly string[] } {
    const orphans: Orphan[] = [];
    const gone: string[] = [];
    for (const [name, holder] of this.#holders) {
      for (const [meter, slice] of holder.slices) {
        if (mayCover(meter, slice, now)) continue;
        orphans.push({ meter, left: slice.left });
        this.#drop(name, holder, meter);
      }
      if (holder.slices.size > 0 || now < holder.askedAt + LEASE.lifeMs + LEASE.longestHoldMs) continue;
      this.#holders.delete(name);
      gone.push(name);
    }
    return { orphans, gone };
  }

  /**
   * The org's clock is moved ahead. What was held from slices that nobody can use any more ends so much sooner; from one in
   * use, holds may yet be made after that.
   */
  moveAhead(byMs: number, now: number): void {
    for (const { slices } of this.#holders.values()) {
      for (const slice of slices.values()) {
        if (slice.until <= now) slice.lingerMs = Math.max(0, slice.lingerMs - byMs);
      }
    }
  }

  /** When the first slice will be orphaned if no report comes, for all isolates or for one. Null if there is none. */
  orphanedAt(counts: (meter: string) => boolean, holder?: string): number | null {
    let first: number | null = null;
    for (const [name, { slices }] of this.#holders) {
      if (holder !== undefined && name !== holder) continue;
      for (const [meter, { until, lingerMs }] of slices) {
        if (counts(meter) && (first === null || until + lingerMs < first)) first = until + lingerMs;
      }
    }
    return first;
  }

  /** The slices of one meter that still count. */
  *slicesOf(meter: string, now: number): Generator<Outstanding> {
    for (const slice of this.#byMeter.get(meter)?.values() ?? []) {
      if (isCounted(slice, now)) yield slice;
    }
  }

  /** For storage: what one isolate has, or what all have. */
  *holders(): Generator<StoredHolder> {
    for (const [holder, { slices, ...counters }] of this.#holders) {
      yield { holder, ...counters, slices: [...slices] };
    }
  }

  holder(name: string): StoredHolder {
    const { slices, ...counters } = this.#holder(name);
    return { holder: name, ...counters, slices: [...slices] };
  }

  restore({ holder: name, slices, ...counters }: StoredHolder): void {
    const holder = this.#holder(name);
    Object.assign(holder, counters);
    for (const [meter, slice] of slices) this.#keep(name, holder, meter, { ...slice });
  }

  #extend(
    name: string,
    holder: Holder,
    meter: string,
    {
      asked,
      terms,
      now,
    }: {
      readonly asked: {
        limit: bigint;
        used: bigint;
        holders: number;
        left: bigint;
        want: bigint;
        least: bigint;
      };
      readonly terms: Terms;
      readonly now: number;
    },
  ): Addition {
    const there = holder.slices.get(meter);
    const own = there !== undefined && isCounted(there, now) ? there : undefined;
    if (own === undefined && holder.slices.size >= MOST_SLICES) return { add: 0n, forMs: null, share: 0n };
    const kept = own?.left ?? 0n;
    const leased = this.leased(meter, now);
    let orphaned = 0n;
    for (const slice of this.slicesOf(meter, now)) {
      if (slice !== own && slice.until <= now) orphaned += slice.left;
    }
    const share = shareOf({ ...asked, orphaned });
    // Over the limit because it was lowered, or with more than is on the books: existing slices run out.
    if (asked.used + leased > asked.limit || kept < asked.left) return { add: 0n, forMs: null, share };
    const addition = additionTo({ ...asked, left: kept, live: leased - orphaned, orphaned });
    if (kept + addition === 0n) return { add: 0n, forMs: null, share };
    const until = Math.max(now + terms.lifeMs, own?.until ?? 0);
    const since = own === undefined ? now : (own.since ?? 0);
    this.#keep(name, holder, meter, { left: kept + addition, until, lingerMs: terms.lingerMs, since });
    return { add: addition, forMs: terms.lifeMs, share };
  }

  #active(now: number, asking: string): number {
    let count = 1;
    for (const [name, { slices }] of this.#holders) {
      if (name === asking) continue;
      for (const slice of slices.values()) {
        if (slice.until > now) {
          count += 1;
          break;
        }
      }
    }
    return count;
  }

  #holder(name: string): Holder {
    let holder = this.#holders.get(name);
    if (holder === undefined) {
      holder = { attempt: 0, batch: 0, askedAt: 0, slices: new Map() };
      this.#holders.set(name, holder);
    }
    return holder;
  }

  #keep(name: string, holder: Holder, meter: string, slice: Outstanding): void {
    holder.slices.set(meter, slice);
    const shared = this.#byMeter.get(meter) ?? new Map<string, Outstanding>();
    this.#byMeter.set(meter, shared.set(name, slice));
  }

  #drop(name: string, holder: Holder, meter: string): void {
    holder.slices.delete(meter);
    const shared = this.#byMeter.get(meter);
    shared?.delete(name);
    if (shared?.size === 0) this.#byMeter.delete(meter);
  }
}
