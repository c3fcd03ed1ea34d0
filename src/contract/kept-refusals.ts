import { LIMIT_CODES } from "./limit-codes.ts";

/**
 * Refusals that are kept: those of limits and rules, by operations that ask them. Malformed calls and callers without the
 * right to call are not among them.
 */
export const KEPT_CODES = LIMIT_CODES;

const CODES: ReadonlySet<string> = new Set(KEPT_CODES);

export function isKeptCode(code: string): boolean {
  return CODES.has(code);
}

/** How refusals are kept, as the documentation states it. */
export const KEPT = {
  /** Never fewer than these, the newest, are kept. */
  least: 10_000,
  /** All of these days are kept, up to `most`. */
  days: 7,
  most: 200_000,
  /** No refusal is kept for longer, and neither are the sums. */
  longestDays: 90,
} as const;

export const SUMMARY_GROUPS = ["code", "limit", "customer_id", "workflow_id", "key_id"] as const;
export type SummaryGroup = (typeof SUMMARY_GROUPS)[number];
