import { needsNoBody, rateMetersFor, type RateMeter, type RatePolicy } from "../domain/rate-policy.ts";
import { DECISION_ROUTE } from "../contract/decision.ts";
import type { DecisionChecks } from "../domain/profile.ts";

/** Who asks, of which org, with which rate limits. */
interface Asking {
  readonly orgId: string;
  readonly keyId: string;
  readonly policies: readonly RatePolicy[];
  /** What the org has its decisions checked against that do not say it. */
  readonly checks: DecisionChecks;
  readonly pepper: string;
}

export interface Asker extends Asking {
  /** Those of them that need nothing from the body to be counted. */
  readonly unread: readonly RateMeter[];
}

export function newAsker(asking: Asking): Asker {
  const { keyId, policies } = asking;
  const unread = rateMetersFor(policies.filter(needsNoBody), { route: DECISION_ROUTE, keyId });
  return { ...asking, unread };
}
