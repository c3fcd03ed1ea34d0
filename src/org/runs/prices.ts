import { invalidField, type Refusal } from "../../contract/refusal.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { instantOf } from "../../domain/time/instant.ts";
import { MAX_USD_NANOS, parseUsd } from "../../domain/price/money.ts";
import { costOf, savingOf } from "../../domain/price/cost.ts";
import type { ModelLimits } from "../../domain/run/believed-usage.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import { noPrice } from "../../domain/price/no-price.ts";
import { isUnpriced } from "../../domain/price/unpriced.ts";
import type { NamedPrices } from "../models/named-prices.ts";
import { pricesOf } from "../models/revisions.ts";

/** The cost of a run, and the revision of its model's price that gave it. Null if the caller stated the cost. */
export interface RunCost {
  readonly nanos: bigint;
  readonly revision: number | null;
  /** The cost that the base rates would have added. */
  readonly saved: bigint;
}

export type Cost = RunCost | Refusal<"validation_failed">;

/** Returns the cost of runs: the stated cost, or the price at the time they started. Each price is read once. */
export class Prices {
  readonly #sql: SqlStorage;
  readonly #now: number;
  #stated: { readonly text: string; readonly cost: Cost } | null = null;
  #latest: { readonly name: ModelName; readonly prices: NamedPrices } | null = null;

  constructor(sql: SqlStorage, now: number) {
    this.#sql = sql;
    this.#now = now;
  }

  costsOf(inputs: readonly RunInput[]): Cost[] {
    return inputs.map((input) => this.#costOf(input));
  }

  /** What the price of a run's model says that a call of it can have. Null if there is none. */
  limitsOf(run: RunInput): ModelLimits | null {
    return this.#pricesOf(run).at(instantOf(run.started_at), this.#now)?.terms ?? null;
  }

  /** Most runs of a batch are of the model of the run before. */
  #pricesOf({ model, provider }: ModelName): NamedPrices {
    const { name, prices } = this.#latest ?? {};
    if (prices !== undefined && name?.model === model && name.provider === provider) return prices;
    this.#latest = { name: { model, provider }, prices: pricesOf(this.#sql, { model, provider }) };
    return this.#latest.prices;
  }

  /** Many runs of a batch cost what the run before them did. */
  #statedCost(text: string): Cost {
    if (this.#stated?.text === text) return this.#stated.cost;
    const nanos = parseUsd(text);
    const cost =
      nanos === null
        ? invalidField("cost_usd", "invalid_format", "must be an amount")
        : { nanos, revision: null, saved: 0n };
    this.#stated = { text, cost };
    return cost;
  }

  #costOf(input: RunInput): Cost {
    if (input.cost_usd !== undefined) return this.#statedCost(input.cost_usd);
    const revision = this.#pricesOf(input).at(instantOf(input.started_at), this.#now);
    if (revision === null) {
      return invalidField(
        "model",
        "no_price",
        "has no price in the price book: send cost_usd or set a price",
      );
    }
    const nanos = costOf(revision.price, input.usage, input.variant);
    if (isUnpriced(nanos)) return noPrice(nanos, "usage");
    if (nanos > MAX_USD_NANOS)
      return invalidField("usage", "out_of_range", "results in a cost above the maximum amount");
    const saved = savingOf(revision.price, input.usage, { cost: nanos, variant: input.variant });
    return { nanos, revision: revision.revision, saved };
  }
}
