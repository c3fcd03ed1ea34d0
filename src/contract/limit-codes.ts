import type { ErrorCode } from "./errors.ts";

/** The codes that a meter can refuse a decision with, in the order of the checks. */
export const DECISION_CODES = [
  "quota_exhausted",
  "spend_cap_exceeded",
  "budget_exceeded",
] as const satisfies readonly ErrorCode[];

/** The codes that a meter can refuse a run with, in the order of the checks. */
export const RUN_CODES = [
  "plan_limit_exceeded",
  "chain_budget_exceeded",
  ...DECISION_CODES,
  "credits_exhausted",
] as const satisfies readonly ErrorCode[];

/** The codes that a policy rule or content safety can refuse a run with. */
export const CHECK_CODES = [
  "policy_blocked",
  "policy_approval_required",
  "policy_expression_error",
  "content_safety_blocked",
] as const satisfies readonly ErrorCode[];

/** Every code that a limit or a rule can refuse with, in the order of the checks. */
export const LIMIT_CODES = ["rate_limited", ...CHECK_CODES, ...RUN_CODES] as const;
