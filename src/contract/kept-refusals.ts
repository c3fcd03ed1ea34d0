import { LIMIT_CODES } from "./limit-codes.ts";

/** Refusals that are stored: those by limits and rules. Malformed calls and unauthorized callers are not stored. */
export const KEPT_CODES = LIMIT_CODES;

const CODES: ReadonlySet<string> = new Set(KEPT_CODES);

export function isKeptCode(code: string): boolean {
  return CODES.has(code);
}

/** How long refusals are kept, as documented. */
export const KEPT = {
  /** At least this many of the newest refusals are kept. */
  least: 10_000,
  /** All refusals of this many days are kept, up to `most`. */
  days: 7,
  most: 200_000,
  /** Refusals and their sums are deleted after this many days. */
  longestDays: 90,
} as const;

export const SUMMARY_GROUPS = ["code", "limit", "customer_id", "workflow_id", "key_id"] as const;
export type SummaryGroup = (typeof SUMMARY_GROUPS)[number];
