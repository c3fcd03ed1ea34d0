import type { KeyRole, Scope } from "../../contract/access.ts";
import type { DecisionChecks, ExpiryAction, Profile } from "../../domain/tenant/profile.ts";
import type { StoredLimits } from "../../domain/rate/policy.ts";

/** Constant in every deployment. Only the Worker's tests, which share its isolate, shorten it. */
export const SNAPSHOT = {
  /** How long an isolate may act on what the object told it, counted from when it asked. */
  lifeMs: 2000,
} as const;

export interface KeySnapshot {
  readonly id: string;
  readonly role: KeyRole;
  readonly scopes: readonly Scope[];
  readonly revoked: boolean;
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
}

export interface OrgSnapshot {
  readonly id: string;
  readonly status: Profile["status"];
  readonly environment: Profile["environment"];
  readonly homeRegion: string;
  /** Where the org's calls may be served. Null for everywhere. */
  readonly regions: readonly string[] | null;
  readonly ipAllowList: readonly string[];
  readonly clockOffsetMs: number;
  readonly rates: StoredLimits;
  /** The checks of decisions by default. */
  readonly checks: DecisionChecks;
  /** The end of reservations that do not state one. */
  readonly onExpiry: ExpiryAction;
  /** The key that names its reservations, if that is no longer the one that the pepper gives. */
  readonly reservationKey?: string;
}

export interface Snapshot {
  readonly org: OrgSnapshot;
  readonly key: KeySnapshot;
}
