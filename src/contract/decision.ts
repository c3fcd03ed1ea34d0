import { MAX_TOKENS } from "./runs.ts";
import { underEachField } from "./scopes.ts";

/**
 * The requirements of a decision, stated once. The operation, its schema and the typed reader, which uses neither,
 * derive from it.
 */
export const DECISION = {
  method: "POST",
  path: "/v1/edge/decision",
  role: "developer",
  scope: "decisions:evaluate",
  mostBodyBytes: 16_384,
  holdSeconds: { least: 30, most: 86_400 },
  tokens: { least: 0, most: MAX_TOKENS },
  someTokens: { least: 1, most: MAX_TOKENS },
} as const;

export const DEFAULT_OUTPUT_TOKENS = 4096;

/** The bound of a body with an input to scan. */
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
  checks: "checks",
  input: "anything",
  on_expiry: "expiry",
} as const;

/** The fields of its estimate. */
export const ESTIMATE_FIELDS = {
  cost_usd: "usd",
  input_tokens: "tokens",
  max_output_tokens: "tokens",
  min_output_tokens: "someTokens",
  units: "units",
} as const;

interface EstimateInTokens {
  readonly input_tokens?: number | undefined;
  readonly max_output_tokens?: number | undefined;
  readonly min_output_tokens?: number | undefined;
}

/** Returns whether an estimate is in tokens, which its model's price turns into dollars. */
export function isInTokens(estimate: EstimateInTokens): boolean {
  return (estimate.input_tokens ?? estimate.max_output_tokens ?? estimate.min_output_tokens) !== undefined;
}

/** Returns whether an estimate is in what its model's price turns into dollars: tokens, units or both. */
export function isPriced(estimate: EstimateInTokens & { readonly units?: object | undefined }): boolean {
  return isInTokens(estimate) || estimate.units !== undefined;
}

/** The messages for an estimate in dollars that lacks its amount, and for one in tokens or units that lacks its model. */
export const NO_AMOUNT = "is required if no tokens or units are given";
export const NO_MODEL = "is required to price tokens and units";

interface LeastOutput {
  readonly cost_usd?: string | undefined;
  readonly max_output_tokens?: number | undefined;
  readonly min_output_tokens?: number | undefined;
}

/** Returns what is wrong with `min_output_tokens` beside the other fields of its estimate. Null if nothing is. */
export function leastOutputProblem(estimate: LeastOutput): "invalid_value" | "out_of_range" | null {
  const { cost_usd: cost, min_output_tokens: least, max_output_tokens: most } = estimate;
  if (least === undefined) return null;
  if (cost !== undefined) return "invalid_value";
  return least > (most ?? DEFAULT_OUTPUT_TOKENS) ? "out_of_range" : null;
}

/** Where a decision was made. */
export type DecidedAt = "edge" | "object";
