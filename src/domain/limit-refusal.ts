import { type Refusal, refuse } from "../contract/refusal.ts";
import type { Denial, DenialCode } from "./kinds.ts";

/** The codes with which a meter may refuse before a run, in order. */
export const DECISION_CODES = ["quota_exhausted", "spend_cap_exceeded", "budget_exceeded"] as const;

/** The codes with which a meter may refuse a run, in order. */
export const RUN_CODES = [
  "plan_limit_exceeded",
  "chain_budget_exceeded",
  ...DECISION_CODES,
  "credits_exhausted",
] as const;

export function toRefusal<C extends DenialCode = DenialCode>(denial: Denial): Refusal<C> {
  const { code, details, status } = denial;
  // The table of kinds builds the details of each code. Its tests check them against the contract.
  return refuse(code, details as never, { status }) as Refusal<C>;
}
