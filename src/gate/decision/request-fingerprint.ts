import { type Refusal, refuse } from "../../contract/refusal.ts";
import type { DecisionAsk } from "./ask.ts";

type Estimate = DecisionAsk["estimate"];
/** Everything except the request's name, and what does not affect the hold. */
type FingerprintField = Exclude<keyof DecisionAsk, "request_id" | "dry_run" | "estimate">;

/**
 * Returns what a decision asks for, as one text: the same fields in any order give the same text. A request id stands
 * for one fingerprint, and the reservation's name contains a hash of it. The types keep the list complete: a new field
 * must be added.
 */
export function fingerprintOf(ask: DecisionAsk): string {
  const { estimate } = ask;
  const asked: Record<FingerprintField, unknown> = {
    model: ask.model,
    action: ask.action,
    workflow_id: ask.workflow_id,
    deployment_id: ask.deployment_id,
    department_id: ask.department_id,
    customer_id: ask.customer_id,
    variant: ask.variant,
    hold_seconds: ask.hold_seconds,
    checks: ask.checks,
    on_expiry: ask.on_expiry,
    chain: inOneOrder(ask.chain),
    input: inOneOrder(ask.input),
    approval_id: ask.approval_id,
    user_id: ask.user_id,
    provider: ask.provider,
    tags: inOneOrder(ask.tags),
  };
  const estimated: Record<keyof Estimate, unknown> = {
    cost_usd: estimate.cost_usd,
    input_tokens: estimate.input_tokens,
    max_output_tokens: estimate.max_output_tokens,
    min_output_tokens: estimate.min_output_tokens,
    units: inOneOrder(estimate.units),
  };
  return JSON.stringify([asked, estimated]);
}

/** The same value, with the fields of every object sorted by name. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, inOneOrder(field)]));
}

export function requestIdReused(): Refusal<"conflict"> {
  return refuse("conflict", {}, { message: "This request_id was already used for a different decision." });
}
