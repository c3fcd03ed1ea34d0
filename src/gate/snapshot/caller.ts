import { needsNoBody, rateMetersFor, type RateMeter, type RatePolicy } from "../../domain/rate/policy.ts";
import type { DecisionAsk } from "../decision/ask.ts";
import type { KnownChecks } from "./decision-plan.ts";
import type { OrgSnapshot } from "./snapshot.ts";
import { ReservationIds, type ReservationNames } from "../../domain/reservation/reservation-id.ts";
import { DECISION_ROUTE } from "../../contract/decision.ts";
import type { DecisionChecks, ExpiryAction } from "../../domain/tenant/profile.ts";

/**
 * Tells whether rules and detectors have nothing to say about a call. The host brings it: they are large, and the gate
 * is small.
 */
export type Judge = (
  checks: KnownChecks,
  ask: DecisionAsk,
  at: { readonly nanos: number; readonly orgNow: number },
) => boolean;

type CallersOrg = Pick<OrgSnapshot, "id" | "checks" | "onExpiry" | "reservationKey"> & {
  readonly rates: Pick<OrgSnapshot["rates"], "policies">;
};

/** The caller, its org, and the rate limits that apply. */
export interface GateCaller {
  readonly orgId: string;
  readonly keyId: string;
  readonly policies: readonly RatePolicy[];
  /** The checks of the org's decisions by default. */
  readonly checks: DecisionChecks;
  /** The end of the org's reservations that do not state one. */
  readonly onExpiry: ExpiryAction;
  /** The key that names the org's reservations. */
  readonly names: () => ReservationNames;
  /** Null: this host leaves what is checked against everything to the object. */
  readonly judge: Judge | null;
  /** Those that can be counted without the body. */
  readonly unread: readonly RateMeter[];
}

export function newGateCaller(
  org: CallersOrg,
  keyId: string,
  pepper: string,
  judge: Judge | null = null,
): GateCaller {
  const { id: orgId, checks, onExpiry, reservationKey } = org;
  const { policies } = org.rates;
  const unread = rateMetersFor(policies.filter(needsNoBody), { route: DECISION_ROUTE, keyId });
  const names = () => new ReservationIds(pepper, orgId, reservationKey);
  return { orgId, keyId, policies, checks, onExpiry, names, judge, unread };
}
