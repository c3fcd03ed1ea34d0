import { SCOPE_FIELDS, type ScopeField } from "../../contract/scopes.ts";
import type { RunResource } from "../../contract/resources/runs/runs.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { NANO_SCALE, parseDecimal, RATE_SCALE } from "./decimal.ts";

/** The purpose of a charge. Charges of the same kind are added up. */
interface ChargeKind {
  /** The start of the day in UTC. */
  readonly dayMs: number;
  readonly model: string | null;
  readonly provider: string | null;
  /** As in `SCOPE_FIELDS`. */
  readonly scopes: readonly (string | null)[];
  /** The tags, as JSON. */
  readonly tags: string | null;
  readonly variant: string | null;
  readonly revision: number | null;
  /** A class of tokens or the name of a unit; null if the caller gave the cost of the run as a whole. */
  readonly meter: string | null;
  readonly priced: "tokens" | "units" | "reported" | "adjustment";
  /** In 10^-18 dollars, for a million tokens or one unit. */
  readonly rate: bigint | null;
  /** Corrects a run of an earlier month. */
  readonly isCorrection: boolean;
}

export interface Charge extends ChargeKind {
  readonly nanos: bigint;
  /** Tokens or units. */
  readonly quantity: bigint;
}

/** An adjustment of a run, or a run that is taken back. */
export interface LateCharge {
  readonly atMs: number;
  readonly nanos: bigint;
  readonly isCorrection: boolean;
  readonly model: string | null;
  readonly provider: string | null;
  readonly scopes: Readonly<Record<ScopeField, string | null>>;
  readonly tags: string | null;
}

export type ChargedRun = Pick<
  RunResource,
  | "started_at"
  | "model"
  | "provider"
  | "tags"
  | "variant"
  | "usage"
  | "cost_usd"
  | "price_revision"
  | "cost_breakdown"
  | ScopeField
>;

const dayOf = (atMs: number) => atMs - (((atMs % DAY_MS) + DAY_MS) % DAY_MS);

export const chargeDay = ({ started_at }: Pick<ChargedRun, "started_at">) => dayOf(Date.parse(started_at));

/** The charges of a run: one for each entry of its breakdown, or one for all of it. */
export function chargesOf(run: ChargedRun): Charge[] {
  const kind = {
    dayMs: chargeDay(run),
    model: run.model,
    provider: run.provider,
    scopes: SCOPE_FIELDS.map((field) => run[field]),
    tags: Object.keys(run.tags).length === 0 ? null : JSON.stringify(run.tags),
    variant: run.variant,
    revision: run.price_revision,
    isCorrection: false,
  };
  if (run.cost_breakdown === null || run.cost_breakdown.length === 0) {
    const quantity = BigInt(run.usage.input_tokens + run.usage.output_tokens);
    const nanos = parseDecimal(run.cost_usd, NANO_SCALE);
    return [{ ...kind, meter: null, priced: "reported", rate: null, nanos, quantity }];
  }
  return run.cost_breakdown.map((entry) => ({
    ...kind,
    meter: entry.class,
    priced: entry.usd_each === undefined ? "tokens" : "units",
    rate: parseDecimal(entry.usd_each ?? entry.usd_per_mtok ?? "0", RATE_SCALE),
    nanos: parseDecimal(entry.cost_usd, NANO_SCALE),
    quantity: BigInt(entry.quantity),
  }));
}

export function lateCharge(late: LateCharge): Charge {
  return {
    dayMs: dayOf(late.atMs),
    model: late.model,
    provider: late.provider,
    scopes: SCOPE_FIELDS.map((field) => late.scopes[field]),
    tags: late.tags,
    variant: null,
    revision: null,
    meter: null,
    priced: "adjustment",
    rate: null,
    isCorrection: late.isCorrection,
    nanos: late.nanos,
    quantity: 0n,
  };
}

function keyOf(charge: Charge): string {
  const { dayMs, model, provider, scopes, tags, variant, revision, meter, priced, isCorrection } = charge;
  const rate = charge.rate === null ? null : String(charge.rate);
  return JSON.stringify([
    dayMs,
    model,
    provider,
    ...scopes,
    tags,
    variant,
    revision,
    meter,
    priced,
    rate,
    isCorrection,
  ]);
}

/** So much memory is taken by charges that are not written yet. */
const MOST_HELD = 20_000;

/**
 * Adds up charges of the same kind. What it takes is bounded: where there are more kinds than it may hold, those it has are
 * let go, and a kind that comes up again is another row. The sums over rows are exact either way.
 */
export class ChargeSums {
  readonly #held = new Map<string, Charge>();
  readonly #mostHeld: number;

  constructor(mostHeld = MOST_HELD) {
    this.#mostHeld = mostHeld;
  }

  /** Charges that had to be let go. */
  add(charges: readonly Charge[]): Charge[] {
    const gone: Charge[] = [];
    for (const charge of charges) {
      const key = keyOf(charge);
      const there = this.#held.get(key);
      if (there === undefined) {
        if (this.#held.size >= this.#mostHeld) gone.push(...this.end());
        this.#held.set(key, charge);
        continue;
      }
      const nanos = there.nanos + charge.nanos;
      this.#held.set(key, { ...there, nanos, quantity: there.quantity + charge.quantity });
    }
    return gone;
  }

  /** Charges of days before one, which no run of a list in the order of time adds to any more. */
  before(dayMs: number): Charge[] {
    const gone = [...this.#held].filter(([, charge]) => charge.dayMs < dayMs);
    for (const [key] of gone) this.#held.delete(key);
    return gone.map(([, charge]) => charge);
  }

  end(): Charge[] {
    const all = [...this.#held.values()];
    this.#held.clear();
    return all;
  }
}
