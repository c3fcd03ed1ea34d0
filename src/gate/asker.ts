import { needsNoBody, rateMetersFor, type RateMeter, type RatePolicy } from "../domain/rate-policy.ts";
import { DECISION_ROUTE } from "../contract/decision.ts";
import type { DecisionChecks } from "../domain/profile.ts";

/** The caller, its org, and the rate limits that apply. */
interface Asking {
  readonly orgId: string;
  readonly keyId: string;
  readonly policies: readonly RatePolicy[];
  /** What the org's decisions are checked against by default. */
  readonly checks: DecisionChecks;
  readonly pepper: string;
}

export interface Asker extends Asking {
  /** Those that can be counted without the body. */
  readonly unread: readonly RateMeter[];
}

export function newAsker(asking: Asking): Asker {
  const { keyId, policies } = asking;
  const unread = rateMetersFor(policies.filter(needsNoBody), { route: DECISION_ROUTE, keyId });
  return { ...asking, unread };
}
