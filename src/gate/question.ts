import { type Refusal, refuse } from "../contract/refusal.ts";
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
    workflow_id: ask.workflow_id,
    deployment_id: ask.deployment_id,
    department_id: ask.department_id,
    customer_id: ask.customer_id,
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
