import { LIMIT_CODES } from "./limit-codes.ts";

/**
 * The codes that deny a decision. One that is checked only against limits can get `rate_limited` and `DECISION_CODES`.
 * Each code has its own metric series.
 */
export const DECISION_DENIALS = LIMIT_CODES;

export const DECISION_REFUSALS = [...DECISION_DENIALS, "conflict"] as const;
