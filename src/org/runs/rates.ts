import { DECISION_ROUTE } from "../../contract/decision.ts";
import type { Refusal } from "../../contract/refusal.ts";
import {
  needsNoBody,
  rateAmount,
  type RateMeter,
  rateMetersFor,
  type RatePolicy,
} from "../../domain/rate/policy.ts";
import { type CountedPart, withoutAmount } from "../../domain/rate/counted-part.ts";
import type { Trait } from "../../contract/dimensions.ts";
import { traitsIn } from "../../domain/meter/match.ts";
import { matchBeside } from "../../domain/rate/match.ts";
import { traitIn } from "../../domain/meter/traits.ts";
import { rateRefusal } from "../../domain/rate/denial.ts";
import type { RateBook, Tx } from "../kernel/door.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import {
  readCountedAmount,
  readCountedParts,
  writeHoldRates,
  findCountedMeters,
  type HoldRates,
} from "../decisions/hold-rates.ts";
import type { HoldRow } from "../decisions/store.ts";
import { cached } from "../../domain/cache/cached.ts";

export const RUN_ROUTE = "POST /v1/runs";
export const BULK_ROUTE = "POST /v1/runs/bulk";

/** One limit for the runs of a call: its room at the start, and what the runs so far have taken. */
interface RunRate extends RateMeter {
  room: number;
  taken: number;
  /** Dollars that reservations took and their runs did not spend, where they were counted. */
  back: CountedPart[];
}

/**
 * The rate limits that depend on the run itself: those by tokens, or by what the run says of itself. Time does not advance during a call,
 * so room is read once, and what was taken is written once.
 */
export class RunRates {
  readonly #book: RateBook;
  readonly #policies: readonly RatePolicy[];
  readonly #route: string;
  readonly #keyId: string;
  readonly #now: number;
  /** The fields that the policies look at beside the customer. */
  readonly #traits: readonly Trait[];
  readonly #touched = new Map<string, readonly RunRate[]>();
  readonly #counted = new Map<string, RunRate>();

  private constructor(tx: Tx, route: string, book: RateBook, policies: readonly RatePolicy[]) {
    this.#book = book;
    this.#policies = policies;
    this.#traits = traitsIn(policies.map(({ match }) => matchBeside(match)));
    this.#route = route;
    this.#keyId = tx.actor.id;
    this.#now = tx.now;
  }

  /** Null if the org has no such limit. */
  static of(tx: Tx, route: string): RunRates | null {
    const book = tx.rates();
    const policies = book.policies().filter((policy) => !needsNoBody(policy));
    return policies.length === 0 ? null : new RunRates(tx, route, book, policies);
  }

  /** Why a run may not be recorded, or null. Takes nothing. */
  refusalOf(run: RunInput, nanos: bigint): Refusal<"rate_limited" | "quota_exhausted"> | null {
    const counted = this.#touchedBy(run, this.#route);
    if (counted.every((one) => amountOf(one, run, nanos) <= Math.max(0, one.room - one.taken))) return null;
    // The earlier runs' usage is included, so that the stated wait is exact.
    this.save();
    const asked = counted.map((meter) => {
      const amount = amountOf(meter, run, nanos);
      return { meter, standing: this.#book.standing(meter, amount), amount };
    });
    return rateRefusal(asked, this.#now);
  }

  /**
   * Counts a recorded run. If it settles a hold, only what its decision did not count. Dollars that it did not spend are
   * given back. Requests and tokens stay counted as they were, because the room was taken in their window.
   */
  take(run: RunInput, hold: HoldRow | null, nanos: bigint): void {
    for (const one of this.#countedFor(run, hold)) {
      const counted = hold === null ? 0 : readCountedAmount(one, hold);
      const rest = amountOf(one, run, nanos) - counted;
      if (rest > 0) one.taken += rest;
      else if (hold !== null && one.policy.unit === "usd") {
        one.back.push(...withoutAmount(readCountedParts(one, hold), -rest).back);
      }
    }
  }

  /** Returns the amounts that are counted of a run whose hold was not reported. */
  countedOf(run: RunInput, hold: HoldRow, nanos: bigint): HoldRates & { readonly amount: string } {
    const rates = writeHoldRates([...this.#countedFor(run, hold)]);
    return { rates, tokens: tokensOf(run), amount: String(nanos) };
  }

  save(): void {
    for (const one of this.#counted.values()) {
      if (one.taken === 0 && one.back.length === 0) continue;
      this.#book.giveBack(one, one.back);
      this.#book.take(one, one.taken);
      Object.assign(one, this.#untaken(one));
    }
  }

  #touchedBy(run: RunInput, route: string): readonly RunRate[] {
    const key = this.#traits.reduce(
      (text, trait) => `${text}\n${JSON.stringify(traitIn(run, trait))}`,
      `${route} ${run.customer_id ?? ""}`,
    );
    return cached(this.#touched, key, () => {
      const subject = { route, keyId: this.#keyId, names: run };
      return rateMetersFor(this.#policies, subject).map((meter) => this.#count(meter));
    });
  }

  /** The counters that a run touches, and those in which its decision was counted, whomever the run names. */
  #countedFor(run: RunInput, hold: HoldRow | null): Iterable<RunRate> {
    const own = this.#touchedBy(run, this.#route);
    if (hold === null) return own;
    const decided =
      hold.unreported === null
        ? findCountedMeters(this.#policies, hold).map((meter) => this.#count(meter))
        : this.#touchedBy(run, DECISION_ROUTE);
    return decided.length === 0 ? own : new Set([...own, ...decided]);
  }

  #count(meter: RateMeter): RunRate {
    return cached(this.#counted, meter.key, () => ({ ...meter, ...this.#untaken(meter) }));
  }

  #untaken(meter: RateMeter): Pick<RunRate, "room" | "taken" | "back"> {
    return { room: this.#book.standing(meter, 0).room, taken: 0, back: [] };
  }
}

function amountOf({ policy }: RateMeter, run: RunInput, nanos: bigint): number {
  return rateAmount(policy, { nanos: Number(nanos), tokens: tokensOf(run) });
}

function tokensOf({ usage }: RunInput): number {
  return usage.input_tokens + usage.output_tokens;
}
