import { MAX_TOKENS } from "./runs.ts";
import { underEachField } from "./scopes.ts";

/**
 * What a decision requires, stated once. The operation and its shape are made from this, and so is the fast path, which
 * answers without them.
 */
export const DECISION = {
  method: "POST",
  path: "/v1/edge/decision",
  role: "developer",
  scope: "decisions:evaluate",
  mostBodyBytes: 16_384,
  mostBodyBytesWithInput: 262_144,
  holdSeconds: { least: 30, most: 86_400 },
  tokens: { least: 0, most: MAX_TOKENS },
} as const;

/** Names decisions in rate-limit policies. */
export const DECISION_ROUTE = `${DECISION.method} ${DECISION.path}`;

/** The fields that most bodies have, and what each of them is. Only the estimate is required. */
export const DECISION_FIELDS = {
  request_id: "id",
  model: "model",
  action: "id",
  ...underEachField("id" as const),
  variant: "id",
  estimate: "estimate",
  hold_seconds: "seconds",
  dry_run: "flag",
} as const;

/** The fields of its estimate. */
export const ESTIMATE_FIELDS = {
  cost_usd: "usd",
  input_tokens: "tokens",
  max_output_tokens: "tokens",
} as const;

/**
 * The codes with which a decision is denied. Only the first four can deny one that is checked against the limits alone. Each
 * has a series of its own among the metrics.
 */
export const DECISION_DENIALS = [
  "rate_limited",
  "quota_exhausted",
  "spend_cap_exceeded",
  "budget_exceeded",
  "policy_blocked",
  "policy_approval_required",
  "policy_expression_error",
  "content_safety_blocked",
  "plan_limit_exceeded",
  "chain_budget_exceeded",
  "credits_exhausted",
] as const;

export const DECISION_REFUSALS = [...DECISION_DENIALS, "conflict"] as const;

/** Where a verdict was reached. */
export type DecidedAt = "edge" | "object";
