import { type Refusal, refuse } from "../contract/refusal.ts";
import { scopeNamesOf } from "../contract/scopes.ts";
import type { DecisionAsk } from "./ask.ts";

type Estimate = DecisionAsk["estimate"];
/** All but the name of the request, and what holds nothing. */
type Asked = Exclude<keyof DecisionAsk, "request_id" | "dry_run" | "estimate">;

/**
 * What a decision asks, as one text: the same fields, whatever their order, give the same text. A request id stands for one
 * question, and the reservation's name carries a hash of it. The types hold the list whole: a new field must join it.
 */
export function questionOf(ask: DecisionAsk): string {
  const { estimate } = ask;
  const asked: Record<Asked, unknown> = {
    model: ask.model,
    action: ask.action,
    ...scopeNamesOf(ask),
    variant: ask.variant,
    hold_seconds: ask.hold_seconds,
  };
  const estimated: Record<keyof Estimate, unknown> = {
    cost_usd: estimate.cost_usd,
    input_tokens: estimate.input_tokens,
    max_output_tokens: estimate.max_output_tokens,
  };
  return JSON.stringify([asked, estimated]);
}

export function otherQuestion(): Refusal<"conflict"> {
  return refuse("conflict", {}, { message: "This request_id was already used for a different decision." });
}
