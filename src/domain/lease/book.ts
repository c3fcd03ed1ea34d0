import { type Addition, type Ask, type Grant, LEASE, type Terms } from "./protocol.ts";
import { additionTo, shareOf, smaller } from "./size.ts";

/** One isolate's part of one meter: what it may still have unreported, and until when it may use it. */
export interface Outstanding {
  left: bigint;
  until: number;
  lingerMs: number;
}

/** What must outlive a restart of the object for a report to count once. */
export interface Counters {
  attempt: number;
  batch: number;
  askedAt: number;
}

interface Holder extends Counters {
  readonly slices: Map<string, Outstanding>;
}

export interface Settled<Hold> {
  readonly grant: Grant;
  /** Holds reported for the first time, and what they take of each meter. */
  readonly holds: readonly Hold[];
  readonly used: ReadonlyMap<string, bigint>;
}

/**
 * The object's side of the leases: which isolate has how much of which meter. What is in here counts against
 * the limit. It leaves in two ways only: the isolate's own report, or, when that never comes, the end of the
 * longest hold that the slice may have given out.
 */
export class LeaseBook {
  readonly #holders = new Map<string, Holder>();
  readonly #byMeter = new Map<string, Map<string, Outstanding>>();

  /** What isolates have of a meter now. */
  leased(meter: string, now: number): bigint {
    let sum = 0n;
    for (const slice of this.#byMeter.get(meter)?.values() ?? []) {
      if (now < slice.until + slice.lingerMs) sum += slice.left;
    }
    return sum;
  }

  /** How long until no slice given so far can be used: what a lowered limit waits for before it answers. */
  waitOutMs(now: number): number {
    let until = now;
    for (const { slices } of this.#holders.values()) {
      for (const slice of slices.values()) if (slice.left > 0n) until = Math.max(until, slice.until);
    }
    return until - now;
  }

  /**
   * Takes an ask: reported holds once, what the isolate no longer keeps, then additions. Null for an ask that
   * came late or twice: a later one has said all that it says.
   */
  settle<Hold>(ask: Ask<Hold>, termsOf: (meter: string) => Terms | null, now: number): Settled<Hold> | null {
    const holder = this.#holder(ask.holder);
    if (ask.attempt <= holder.attempt) return null;
    holder.attempt = ask.attempt;
    holder.askedAt = now;

    const fresh = ask.batches.filter((batch) => batch.number > holder.batch);
    holder.batch = Math.max(holder.batch, ...fresh.map((batch) => batch.number));
    const used = new Map<string, bigint>();
    for (const batch of fresh) for (const [meter, sum] of batch.used) add(used, meter, sum);

    for (const [meter, slice] of holder.slices) {
      const unused = slice.left - (used.get(meter) ?? 0n);
      slice.left = smaller(unused < 0n ? 0n : unused, ask.wants.get(meter)?.left ?? 0n);
      if (slice.left === 0n) this.#drop(ask.holder, holder, meter);
    }
    const slices = new Map<string, Addition>();
    const holders = this.#active(now, ask.holder);
    for (const [meter, { left, want, least }] of ask.wants) {
      const terms = termsOf(meter);
      if (terms === null) continue;
      const already = used.get(meter) ?? 0n;
      const sizing = { limit: terms.limit, used: terms.used + already, holders, left, want, least };
      slices.set(meter, this.#extend(ask.holder, holder, meter, sizing, terms, now));
    }
    const holds = fresh.flatMap((batch) => batch.holds);
    return { grant: { attempt: ask.attempt, slices }, holds, used };
  }

  /**
   * Lets go of slices whose last possible hold has ended, and of isolates that have none and have been silent
   * for longer than any hold of theirs lives. Returns those isolates.
   */
  sweep(now: number): string[] {
    const gone: string[] = [];
    for (const [name, holder] of this.#holders) {
      for (const [meter, slice] of holder.slices) {
        if (now >= slice.until + slice.lingerMs) this.#drop(name, holder, meter);
      }
      if (holder.slices.size > 0 || now < holder.askedAt + LEASE.lifeMs + LEASE.longestHoldMs) continue;
      this.#holders.delete(name);
      gone.push(name);
    }
    return gone;
  }

  /** For storage: every slice and every holder's counters, and back. */
  *outstanding(): Generator<{ holder: string; meter: string } & Outstanding> {
    for (const [holder, { slices }] of this.#holders) {
      for (const [meter, slice] of slices) yield { holder, meter, ...slice };
    }
  }

  *counters(): Generator<{ holder: string } & Counters> {
    for (const [holder, { attempt, batch, askedAt }] of this.#holders) {
      yield { holder, attempt, batch, askedAt };
    }
  }

  restoreHolder(holder: string, counters: Counters): void {
    Object.assign(this.#holder(holder), counters);
  }

  restoreSlice(holder: string, meter: string, slice: Outstanding): void {
    this.#keep(holder, this.#holder(holder), meter, slice);
  }

  #extend(
    name: string,
    holder: Holder,
    meter: string,
    asked: { limit: bigint; used: bigint; holders: number; left: bigint; want: bigint; least: bigint },
    terms: Terms,
    now: number,
  ): Addition {
    const kept = holder.slices.get(meter)?.left ?? 0n;
    const leased = this.leased(meter, now);
    const share = shareOf(asked);
    // Over the limit (it was lowered), or with more than is on the books: what is out ends when it ends.
    if (asked.used + leased > asked.limit || kept < asked.left) return { add: 0n, forMs: null, share };
    const addition = additionTo({ ...asked, left: kept, leased });
    if (kept + addition === 0n) return { add: 0n, forMs: null, share };
    const until = Math.max(now + terms.lifeMs, holder.slices.get(meter)?.until ?? 0);
    this.#keep(name, holder, meter, { left: kept + addition, until, lingerMs: terms.lingerMs });
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

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}
