import { needsNoBody, rateMetersFor, type RateMeter, type RatePolicy } from "../domain/rate-policy.ts";
import { DECISION_ROUTE } from "../contract/decision.ts";

/** Who asks, of which org, with which rate limits. */
export interface Asker {
  readonly orgId: string;
  readonly keyId: string;
  readonly policies: readonly RatePolicy[];
  /** Those of them that need nothing from the body to be counted. */
  readonly unread: readonly RateMeter[];
  readonly pepper: string;
}

export function newAsker(
  orgId: string,
  keyId: string,
  policies: readonly RatePolicy[],
  pepper: string,
): Asker {
  const unread = rateMetersFor(policies.filter(needsNoBody), { route: DECISION_ROUTE, keyId });
  return { orgId, keyId, policies, unread, pepper };
}
