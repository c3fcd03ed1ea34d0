import { isInTokens } from "../../contract/decision.ts";
import { invalidField, isRefusal, type Refusal } from "../../contract/refusal.ts";
import { MAX_USD_NANOS, parseUsd } from "../../domain/money.ts";
import { reservationOf } from "../../domain/price/ceiling.ts";
import { noModelPrice, noVariantPrice } from "../../domain/price/no-price.ts";
import { type DecisionAsk, mostOutput } from "../../gate/ask.ts";
import type { Tx } from "../kernel/door.ts";
import { pricesOf } from "../models/revisions.ts";

type Priced = Pick<Tx, "sql" | "now">;
type Invalid = Refusal<"validation_failed">;

/** What an ask reserves if it is given all that it asks for, in nano-dollars. */
export function estimateOf(tx: Priced, ask: DecisionAsk): bigint | Invalid {
  const costOf = costsOf(tx, ask);
  return isRefusal(costOf) ? costOf : costOf(mostOutput(ask));
}

/**
 * What an ask reserves with so many output tokens, at most those that it asks for. `cost_usd` takes precedence. Otherwise tokens
 * at the highest rates of the price book that can apply. A model without a price is refused, never free.
 */
export function costsOf(tx: Priced, ask: DecisionAsk): ((outputTokens: number) => bigint) | Invalid {
  const { cost_usd, input_tokens: input = 0 } = ask.estimate;
  if (cost_usd !== undefined) {
    const nanos = parseUsd(cost_usd);
    return nanos === null
      ? invalidField("estimate.cost_usd", "invalid_format", "must be an amount")
      : () => nanos;
  }
  if (!isInTokens(ask.estimate)) {
    return invalidField("estimate.cost_usd", "required", "is required if no tokens are given");
  }
  const { model, provider } = ask;
  if (model === undefined) {
    return invalidField("model", "required", "is required to price tokens");
  }
  const revision = pricesOf(tx.sql, { model, provider }).at(tx.now, tx.now);
  if (revision === null) return noModelPrice();
  const { ceiling } = revision;
  if (ceiling.isByUnits) {
    return invalidField("estimate.cost_usd", "required", "is required for a model that is priced by units");
  }
  const most = reservationOf(ceiling, input, mostOutput(ask), ask.variant);
  if (most === null) return noVariantPrice();
  return most > MAX_USD_NANOS
    ? invalidField("estimate", "out_of_range", "results in a cost above the maximum amount")
    : (outputTokens) => reservationOf(ceiling, input, outputTokens, ask.variant) ?? most;
}
