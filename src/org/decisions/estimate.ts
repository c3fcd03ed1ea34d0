import { isPriced, NO_AMOUNT, NO_MODEL } from "../../contract/decision.ts";
import { invalidField, isRefusal, type Refusal } from "../../contract/refusal.ts";
import { MAX_USD_NANOS, parseUsd } from "../../domain/price/money.ts";
import { reservationOf } from "../../domain/price/ceiling.ts";
import { noModelPrice, noPrice } from "../../domain/price/no-price.ts";
import { isUnpriced } from "../../domain/price/unpriced.ts";
import { type DecisionAsk, mostOutput, mostUsed } from "../../gate/decision/ask.ts";
import type { Tx } from "../kernel/door.ts";
import { pricesOf } from "../models/revisions.ts";

type PriceContext = Pick<Tx, "sql" | "now">;
type Invalid = Refusal<"validation_failed">;

/** Returns what an ask reserves if it is given all that it asks for, in nano-dollars. */
export function estimateOf(tx: PriceContext, ask: DecisionAsk): bigint | Invalid {
  const costOf = costsOf(tx, ask);
  return isRefusal(costOf) ? costOf : costOf(mostOutput(ask));
}

/**
 * Returns what an ask reserves with so many output tokens, at most those that it asks for. `cost_usd` takes precedence.
 * Otherwise tokens at the highest rates of the price book that can apply, and units. A model without a price is
 * refused, never free.
 */
export function costsOf(tx: PriceContext, ask: DecisionAsk): ((outputTokens: number) => bigint) | Invalid {
  const { cost_usd } = ask.estimate;
  if (cost_usd !== undefined) {
    const nanos = parseUsd(cost_usd);
    return nanos === null
      ? invalidField("estimate.cost_usd", "invalid_format", "must be an amount")
      : () => nanos;
  }
  if (!isPriced(ask.estimate)) return invalidField("estimate.cost_usd", "required", NO_AMOUNT);
  const { model, provider } = ask;
  if (model === undefined) {
    return invalidField("model", "required", NO_MODEL);
  }
  const revision = pricesOf(tx.sql, { model, provider }).at(tx.now, tx.now);
  if (revision === null) return noModelPrice();
  const { ceiling } = revision;
  const reserved = (output: number) => reservationOf(ceiling, mostUsed(ask, output), ask.variant);
  const most = reserved(mostOutput(ask));
  if (isUnpriced(most)) return noPrice(most, "estimate");
  return most > MAX_USD_NANOS
    ? invalidField("estimate", "out_of_range", "results in a cost above the maximum amount")
    : (outputTokens) => {
        const nanos = reserved(outputTokens);
        return isUnpriced(nanos) ? most : nanos;
      };
}
