import type { Refusal } from "../../contract/refusal.ts";
import {
  policiesThatNeedBody,
  rateDenial,
  type RateMeter,
  rateMetersFor,
  type RatePolicy,
  rateRefusal,
} from "../../domain/rate-policy.ts";
import type { RateBook, Tx } from "../kernel/door.ts";
import type { RunInput } from "../../contract/resources/runs.ts";

export const RUN_ROUTE = "POST /v1/runs";
export const BULK_ROUTE = "POST /v1/runs/bulk";

/** One limit as the runs of a call meet it: the room that it had, and what those so far have taken of it. */
interface Counted extends RateMeter {
  room: number;
  taken: number;
}

/**
 * The rate limits that only a run itself can tell whether it touches: those by tokens or by customer. Time stands still
 * while a call is judged, so room is asked for once, and what was taken is written once.
 */
export class RunRates {
  readonly #book: RateBook;
  readonly #policies: readonly RatePolicy[];
  readonly #route: string;
  readonly #keyId: string;
  readonly #now: number;
  readonly #byCustomer = new Map<string | undefined, readonly Counted[]>();
  readonly #counted = new Map<string, Counted>();

  private constructor(tx: Tx, route: string, book: RateBook, policies: readonly RatePolicy[]) {
    this.#book = book;
    this.#policies = policies;
    this.#route = route;
    this.#keyId = tx.actor.id;
    this.#now = tx.now;
  }

  /** Null where the org has no such limit on this route. */
  static of(tx: Tx, route: string): RunRates | null {
    const book = tx.rates();
    const policies = policiesThatNeedBody(book.policies(), { route, keyId: tx.actor.id });
    return policies.length === 0 ? null : new RunRates(tx, route, book, policies);
  }

  /** Why a run may not be recorded, if it may not. Nothing is taken. */
  refusalOf(run: RunInput): Refusal<"rate_limited" | "quota_exhausted"> | null {
    const counted = this.#touchedBy(run);
    if (counted.every((one) => amountOf(one, run) <= Math.max(0, one.room - one.taken))) return null;
    // With what the runs before it took on the books, the wait that is named is exact.
    this.save();
    const standings = counted.map((meter) => ({
      meter,
      standing: this.#book.standing(meter, amountOf(meter, run)),
    }));
    const denial = rateDenial(standings, this.#now);
    return denial === null ? null : rateRefusal(denial);
  }

  /** Of a run that is recorded. Its decision has counted one that settles a reservation, but not where a route is named. */
  take(run: RunInput): void {
    const settles = run.reservation_id !== undefined;
    for (const one of this.#touchedBy(run)) {
      if (!settles || one.policy.match.route !== undefined) one.taken += amountOf(one, run);
    }
  }

  save(): void {
    for (const one of this.#counted.values()) {
      if (one.taken === 0) continue;
      this.#book.take(one, one.taken);
      one.room -= one.taken;
      one.taken = 0;
    }
  }

  #touchedBy({ customer_id: customerId }: RunInput): readonly Counted[] {
    let counted = this.#byCustomer.get(customerId);
    if (counted === undefined) {
      const subject = { route: this.#route, keyId: this.#keyId, customerId };
      counted = rateMetersFor(this.#policies, subject).map((meter) => this.#count(meter));
      this.#byCustomer.set(customerId, counted);
    }
    return counted;
  }

  #count(meter: RateMeter): Counted {
    let counted = this.#counted.get(meter.key);
    if (counted === undefined) {
      counted = { ...meter, room: this.#book.standing(meter, 0).room, taken: 0 };
      this.#counted.set(meter.key, counted);
    }
    return counted;
  }
}

function amountOf({ policy }: RateMeter, { usage }: RunInput): number {
  return policy.unit === "tokens" ? usage.input_tokens + usage.output_tokens : 1;
}
