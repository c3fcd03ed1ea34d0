import {
  type Addition,
  type LeaseRequest,
  type Batch,
  type Grant,
  LEASE,
  type Terms,
  type SliceWish,
} from "./protocol.ts";
import { goneAt, Holders, isCounted, mayCover, type Holder, type OutstandingSlice } from "./holders.ts";
import { additionTo, shareOf, minBigint } from "./size.ts";

export { mayCover, MOST_SLICES, type OutstandingSlice, type StoredHolder } from "./holders.ts";

/** The change that an ask made to one meter. */
export interface Move {
  /** Held and now reported. */
  used: bigint;
  /** The part of it that was in the slice. There is more where the slice was taken back before its report came. */
  covered: bigint;
  /** Given back unused. */
  returned: bigint;
  /** Newly leased. */
  added: bigint;
  /** The latest time at which what is now reported was taken. */
  readonly until: number;
}

export interface Settlement<Hold> {
  readonly grant: Grant;
  /** Holds reported for the first time. */
  readonly holds: readonly Hold[];
  readonly moves: ReadonlyMap<string, Move>;
  /** Slices of which more than the end is another, or which are gone. */
  readonly changed: ReadonlySet<string>;
}

/** A slice that ended without a report and whose last possible hold has ended. */
export interface Orphan {
  readonly holder: string;
  readonly meter: string;
  readonly left: bigint;
}

type TermsOf = (meter: string) => Terms | null;

/**
 * The object's side of the leases: which isolate has how much of which meter. Everything in it counts against the
 * limit. It leaves in two ways only: with the isolate's own report or, without one, at the end of the longest hold that
 * the slice may have given out.
 */
export class LeaseLedger extends Holders {
  /** How long until no slice given so far can be used. A lowered limit waits that long before it returns. */
  waitOutMs(now: number): number {
    let until = now;
    for (const slice of this.all()) if (slice.left > 0n) until = Math.max(until, slice.until);
    return until - now;
  }

  /** Every meter that taking an ask may move, or whose terms it needs. */
  metersOf(
    { holder: name, batches, wants, keeps, renews, mark }: LeaseRequest<unknown>,
    now: number,
  ): Set<string> {
    const found = new Set(wants.keys());
    for (const { used } of batches) for (const meter of used.keys()) found.add(meter);
    // A gate may say that it keeps what it never had, under any name.
    for (const [meter, slice] of this.known(name)?.slices ?? []) {
      const isNamed = renews === undefined || keeps?.has(meter) === true;
      if (isNamed || (mayRenew(slice, mark, now) && needsTerms(slice, now))) found.add(meter);
    }
    return found;
  }

  /**
   * Takes an ask: reported holds once, what the isolate no longer keeps, then additions. Null for an ask that came late
   * or twice, because a later one includes everything in it.
   */
  settle<Hold>(ask: LeaseRequest<Hold>, termsOf: TermsOf, now: number): Settlement<Hold> | null {
    const holder = this.open(ask.holder);
    if (ask.attempt <= holder.attempt) return null;
    holder.attempt = ask.attempt;
    holder.askedAt = now;
    const fresh = ask.batches.filter((batch) => batch.number > holder.batch);
    for (const { number } of fresh) holder.batch = Math.max(holder.batch, number);
    const changed = new Set<string>();
    const moves = this.#report(ask, holder, { fresh, now, changed });
    const slices = new Map<string, Addition>();
    for (const [meter, want] of ask.wants) {
      const terms = termsOf(meter);
      if (terms === null) continue;
      const move = moves.get(meter) ?? noMove(now);
      const addition = this.#extend(ask, meter, { want, terms, reported: move.used, now });
      move.added = addition.add;
      moves.set(meter, move);
      slices.set(meter, addition);
      if (addition.add > 0n) changed.add(meter);
    }
    const lapsed = this.#renew(ask, holder, { termsOf, moves, slices, now });
    const holds = fresh.flatMap((batch) => batch.holds);
    return { grant: { attempt: ask.attempt, slices, lapsed }, holds, moves, changed };
  }

  /** Returns whether a batch of an isolate's refusals is new. If so, it counts as taken. */
  takesRefusals(name: string, number: number): boolean {
    const holder = this.open(name);
    if (number <= (holder.refusals ?? 0)) return false;
    holder.refusals = number;
    return true;
  }

  /** Takes out of the slices what was held, and what the isolate does not keep. */
  #report(
    ask: LeaseRequest<unknown>,
    holder: Holder,
    {
      fresh,
      now,
      changed,
    }: { readonly fresh: readonly Batch<unknown>[]; readonly now: number; readonly changed: Set<string> },
  ): Map<string, Move> {
    const moves = new Map<string, Move>();
    for (const { used } of fresh) {
      for (const [meter, sum] of used) {
        const until = Math.min(now, holder.slices.get(meter)?.until ?? now);
        const move = moves.get(meter) ?? noMove(until);
        move.used += sum;
        moves.set(meter, move);
      }
    }
    const { wants, keeps, renews } = ask;
    const meters =
      renews === undefined
        ? [...holder.slices.keys()]
        : new Set([...moves.keys(), ...wants.keys(), ...(keeps?.keys() ?? [])]);
    for (const meter of meters) {
      const slice = holder.slices.get(meter);
      if (slice === undefined) continue;
      const move = moves.get(meter) ?? noMove(now);
      move.covered = minBigint(move.used, slice.left);
      const unused = slice.left - move.covered;
      const said = wants.get(meter)?.left ?? keeps?.get(meter) ?? (renews === undefined ? 0n : unused);
      const kept = minBigint(unused, said);
      move.returned = unused - kept;
      if (kept !== slice.left) changed.add(meter);
      slice.left = kept;
      moves.set(meter, move);
      if (kept === 0n) this.drop(ask.holder, holder, meter);
    }
    return moves;
  }

  /**
   * Renews the slices that the ask does not name. Those of limits that have changed, come near or end soon only as
   * their terms allow. Returns those that are not renewed; null if none is, because the isolate has some that are not
   * in the book.
   */
  #renew(
    ask: LeaseRequest<unknown>,
    holder: Holder,
    {
      termsOf,
      moves,
      slices,
      now,
    }: {
      readonly termsOf: TermsOf;
      readonly moves: ReadonlyMap<string, Move>;
      readonly slices: Map<string, Addition>;
      readonly now: number;
    },
  ): string[] | null {
    const { wants, keeps, renews, mark } = ask;
    if (renews === undefined) return [];
    const lapsed: string[] = [];
    const unnamed: (readonly [string, OutstandingSlice])[] = [];
    for (const entry of holder.slices) {
      if (!wants.has(entry[0]) && keeps?.has(entry[0]) !== true) unnamed.push(entry);
    }
    if (unnamed.length < renews) return null;
    for (const [meter, slice] of unnamed) {
      if (!mayRenew(slice, mark, now)) lapsed.push(meter);
      else if (needsTerms(slice, now)) {
        const terms = termsOf(meter);
        const want = { left: slice.left, want: slice.left, least: 0n };
        const reported = moves.get(meter)?.used ?? 0n;
        const found = terms === null ? null : this.#extend(ask, meter, { want, terms, reported, now });
        if (found === null || found.forMs === null) lapsed.push(meter);
        else slices.set(meter, found);
      } else this.renewed(meter, slice, now);
    }
    return lapsed;
  }

  /**
   * Drops slices whose last possible hold has ended, and isolates that have none and were silent for longer than any of
   * their holds lives.
   */
  sweep(now: number): { readonly orphans: readonly Orphan[]; readonly gone: readonly string[] } {
    const orphans: Orphan[] = [];
    const gone: string[] = [];
    if (now < this.sweepAt) return { orphans, gone };
    for (const [name, holder] of this.entries()) {
      for (const [meter, slice] of holder.slices) {
        if (mayCover(meter, slice, now)) continue;
        orphans.push({ holder: name, meter, left: slice.left });
        this.drop(name, holder, meter);
      }
      if (holder.slices.size > 0 || now < goneAt(holder)) continue;
      this.forget(name);
      gone.push(name);
    }
    this.planSweep();
    return { orphans, gone };
  }

  /**
   * The org's clock is moved ahead. Holds from slices that nobody can use any more end so much sooner; from one in use,
   * holds may yet be made after that.
   */
  moveAhead(byMs: number, now: number): void {
    for (const slice of this.all()) {
      if (slice.until > now) continue;
      slice.lingerMs = Math.max(0, slice.lingerMs - byMs);
      slice.isPressed = true;
    }
    this.planSweep();
  }

  #extend(
    { holder: name, mark }: Pick<LeaseRequest<unknown>, "holder" | "mark">,
    meter: string,
    {
      want,
      terms,
      reported,
      now,
    }: { readonly want: SliceWish; readonly terms: Terms; readonly reported: bigint; readonly now: number },
  ): Addition {
    const holder = this.open(name);
    const there = holder.slices.get(meter);
    const own = there !== undefined && isCounted(there, now) ? there : undefined;
    if (own === undefined && this.isFull(holder)) return { add: 0n, forMs: null, share: 0n };
    const kept = own?.left ?? 0n;
    const leased = this.leased(meter, now);
    let orphaned = 0n;
    let holders = 1;
    for (const slice of this.slicesOf(meter, now)) {
      if (slice === own) continue;
      if (slice.until <= now) orphaned += slice.left;
      else holders += 1;
    }
    const asked = { limit: terms.limit, used: terms.used + reported, holders, ...want };
    const share = shareOf({ ...asked, orphaned });
    // Over the limit because it was lowered, or with more than is on the books: existing slices run out.
    if (asked.used + leased > asked.limit || kept < asked.left) return { add: 0n, forMs: null, share };
    const addition = additionTo({ ...asked, left: kept, live: leased - orphaned, orphaned });
    if (kept + addition === 0n) return { add: 0n, forMs: null, share };
    const { lifeMs, lingerMs, endsAt } = terms;
    const until = Math.max(now + lifeMs, own?.until ?? 0);
    const since = own === undefined ? now : (own.since ?? 0);
    const isPressed = share < kept + addition;
    const slice = { left: kept + addition, until, lingerMs, since, lifeMs, endsAt, isPressed, mark };
    this.keep(name, holder, meter, slice);
    return { add: addition, forMs: lifeMs, share };
  }
}

const noMove = (until: number): Move => ({ used: 0n, covered: 0n, returned: 0n, added: 0n, until });

/** Returns whether a slice that an ask does not name can be renewed at all. */
function mayRenew(slice: OutstandingSlice, mark: string | undefined, now: number): boolean {
  return isCounted(slice, now) && slice.mark === mark;
}

/** Returns whether more must be known for that than how long slices live. */
function needsTerms({ isPressed, lifeMs, endsAt }: OutstandingSlice, now: number): boolean {
  return isPressed || lifeMs !== LEASE.lifeMs || (endsAt !== undefined && endsAt < now + LEASE.lifeMs);
}
