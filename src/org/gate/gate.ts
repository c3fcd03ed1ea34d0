import type { Refusal } from "../../contract/refusal.ts";
import type { LeaseBook } from "../../domain/lease/book.ts";
import { LEASE } from "../../domain/lease/protocol.ts";
import {
  isRateKey,
  leaseKey,
  needsNoBody,
  rateDenial,
  type RateMeter,
  rateRefusal,
  type RateSubject,
} from "../../domain/rate-policy.ts";
import { type Clock, RateMeters } from "../rates/meters.ts";
import { deleteHolder, loadBook, saveHolder } from "./book-store.ts";
import { type RateInfo, readAsk, type SyncReply, writeReply } from "./wire.ts";

/** Whether a request is within its rate limits, and how they stand. */
export interface RequestVerdict {
  readonly refusal: Refusal<"rate_limited" | "quota_exhausted"> | null;
  readonly rates: readonly RateInfo[];
  readonly orgNow: number;
}

/**
 * The object's side of the gate: it decides what isolates bring to it, and leases them slices of the limits so that they
 * can decide by themselves. What is in memory is a copy of what is stored; whatever fails throws the copy away.
 */
export class ObjectGate {
  readonly #storage: DurableObjectStorage;
  readonly #rates: RateMeters;
  #book: LeaseBook | null = null;
  /** When an isolate was last told how a limit stands: it may refuse by that for a while. */
  #toldAt: number;

  constructor(storage: DurableObjectStorage, fallbackReadRpm: number, wokeAt: number) {
    this.#storage = storage;
    this.#toldAt = wokeAt;
    this.#rates = new RateMeters(storage.sql, fallbackReadRpm);
  }

  /** Takes one request from each rate limit that it touches, or from none. */
  admitRequest(subject: RateSubject, clock: Clock): RequestVerdict {
    return this.#transaction(() => {
      const meters = this.#rates.touchedBy(subject, needsNoBody);
      const standings = meters.map((meter) => ({
        meter,
        standing: this.#rates.standing(meter, 1, this.#leases(), clock),
      }));
      const denial = rateDenial(standings, clock.org);
      if (denial === null) for (const meter of meters) this.#rates.take(meter, 1, clock.org, clock.org);
      else this.#toldAt = clock.real;
      return {
        refusal: denial === null ? null : rateRefusal(denial),
        rates: meters.map((meter) => this.#info(meter, clock)),
        orgNow: clock.org,
      };
    });
  }

  /** Takes an isolate's report and leases it what it may have; null for a report that came late or twice. */
  sync(text: string, clock: Clock): string | null {
    const ask = readAsk(text);
    return this.#transaction(() => {
      const book = this.#leases();
      this.#sweep(book, clock);
      const settled = book.settle(ask, (key) => this.#rates.terms(key, book, clock), clock.real);
      if (settled === null) return null;
      for (const [key, move] of settled.moves) if (isRateKey(key)) this.#rates.report(key, move, clock);
      saveHolder(this.#storage.sql, book.holder(ask.holder));
      const reply: SyncReply = {
        grant: settled.grant,
        rates: this.look([...ask.wants.keys()], clock),
        orgNow: clock.org,
      };
      return writeReply(reply);
    });
  }

  /** How limits stand, for an isolate that refuses by what it knew a second ago. */
  look(keys: readonly string[], clock: Clock): RateInfo[] {
    this.#toldAt = clock.real;
    return keys.flatMap((key) => {
      const meter = this.#rates.find(key, clock.org);
      return meter === null ? [] : [this.#info(meter, clock)];
    });
  }

  /** After the limits have changed: forgets what was read of them, and says for how long isolates may go by the old. */
  changed(clock: Clock): number {
    this.#rates.forget();
    return Math.max(this.#leases().waitOutMs(clock.real), this.#toldAt + LEASE.standingMs - clock.real);
  }

  #info(meter: RateMeter, clock: Clock): RateInfo {
    const standing = this.#rates.standing(meter, 1, this.#leases(), clock);
    const full = this.#rates.standing(
      meter,
      Math.min(standing.room + 1, meter.policy.limit),
      this.#leases(),
      clock,
    );
    return { key: leaseKey(meter, clock.org), ...standing, moreInMs: full.waitMs };
  }

  #sweep(book: LeaseBook, clock: Clock): void {
    const { orphans, gone } = book.sweep(clock.real);
    for (const holder of gone) deleteHolder(this.#storage.sql, holder);
    if (orphans.length > 0) for (const stored of book.holders()) saveHolder(this.#storage.sql, stored);
  }

  #leases(): LeaseBook {
    this.#book ??= loadBook(this.#storage.sql);
    return this.#book;
  }

  #transaction<T>(run: () => T): T {
    try {
      return this.#storage.transactionSync(run);
    } catch (error) {
      this.#book = null;
      this.#rates.forget();
      throw error;
    }
  }
}
