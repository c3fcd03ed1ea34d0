import { invalidField, type Refusal } from "../../contract/refusal.ts";
import { costOfTokensRoundedUp, MAX_USD_NANOS, parseUsd, type TokenPrice } from "../../domain/money.ts";
import { priceOf } from "../models/store.ts";
import type { RunInput } from "../../contract/resources/runs.ts";

export type Cost = bigint | Refusal<"validation_failed">;

/** What runs cost: what they say, else by the price book, each price read once. */
export class Prices {
  readonly #sql: SqlStorage;
  readonly #prices = new Map<string, TokenPrice | null>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  costsOf(inputs: readonly RunInput[]): Cost[] {
    return inputs.map((input) => this.#costOf(input));
  }

  #costOf(input: RunInput): Cost {
    if (input.cost_usd !== undefined) {
      return parseUsd(input.cost_usd) ?? invalidField("cost_usd", "invalid_format", "must be an amount");
    }
    let price = this.#prices.get(input.model);
    if (price === undefined) {
      price = priceOf(this.#sql, input.model);
      this.#prices.set(input.model, price);
    }
    if (price === null) {
      return invalidField(
        "model",
        "no_price",
        "has no price in the price book: send cost_usd or set a price",
      );
    }
    const nanos = costOfTokensRoundedUp(input.usage.input_tokens, input.usage.output_tokens, price);
    return nanos > MAX_USD_NANOS
      ? invalidField("usage", "out_of_range", "results in a cost above the maximum amount")
      : nanos;
  }
}
