import type { Scope } from "../../contract/access.ts";
import type { DECISION_CHECKS, EXPIRY_ACTIONS } from "../../contract/lists.ts";

export type DecisionChecks = (typeof DECISION_CHECKS)[number];
export type ExpiryAction = (typeof EXPIRY_ACTIONS)[number];

/** The defaults of a decision. */
export interface DecisionDefaults {
  readonly checks: DecisionChecks;
  readonly on_expiry: ExpiryAction;
}

export const USUAL_DECISIONS: DecisionDefaults = { checks: "limits", on_expiry: "release" };

const DECIDES: Scope = "decisions:evaluate";

/**
 * What becomes of an unsettled reservation if its call does not say. A key that may only ask for decisions belongs to a
 * proxy that reports no runs: given back, its reservations would be calls for free.
 */
export function usualExpiry(
  scopes: Iterable<Scope>,
  { on_expiry }: Pick<DecisionDefaults, "on_expiry">,
): ExpiryAction {
  for (const scope of scopes) if (scope !== DECIDES) return on_expiry;
  return "charge";
}

/** The org itself: one row. */
export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly plan: string;
  readonly environment: "live" | "test";
  readonly homeRegion: string;
  /** Canonical CIDR texts. */
  readonly ipAllowList: readonly string[];
  readonly decisionDefaults: DecisionDefaults;
  readonly createdAt: number;
  /** How far an operator has moved this (test) org's clock ahead of the real one. */
  readonly clockOffsetMs: number;
}
