import { MAX_TOKENS } from "./runs.ts";
import { underEachField } from "./scopes.ts";

/**
 * What a decision requires, stated once. The operation, its schema and the fast path, which uses neither, derive from
 * it.
 */
export const DECISION = {
  method: "POST",
  path: "/v1/edge/decision",
  role: "developer",
  scope: "decisions:evaluate",
  mostBodyBytes: 16_384,
  holdSeconds: { least: 30, most: 86_400 },
  tokens: { least: 0, most: MAX_TOKENS },
} as const;

export const DEFAULT_OUTPUT_TOKENS = 4096;

/** Of a body with an input to scan. */
export const MOST_BODY_BYTES_WITH_INPUT = 262_144;
/** In one call. */
export const MOST_ASKS = 100;

/** Names decisions in rate-limit policies. */
export const DECISION_ROUTE = `${DECISION.method} ${DECISION.path}`;

export const RENEWAL_PATH = `${DECISION.path}/{reservation_id}/renew` as const;

/** The fields that most bodies have, and the kind of each. Only the estimate is required. */
export const DECISION_FIELDS = {
  request_id: "id",
  model: "model",
  action: "id",
  ...underEachField("id" as const),
  user_id: "id",
  provider: "id",
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

/** Where a decision was made. */
export type DecidedAt = "edge" | "object";
