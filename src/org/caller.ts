import { type KeyRole, roleIncludes, type Scope } from "../contract/access.ts";
import { lackingScope } from "../contract/operation.ts";
import { type Refusal, refuse } from "../contract/refusal.ts";
import { addressAllowed, type Cidr, parseCidr } from "../domain/network/address.ts";
import { earlierEnd } from "../domain/key/rights.ts";
import { mayFinish, refuseKey } from "../domain/key/state.ts";
import { grantRefusal } from "../domain/people/support.ts";
import type { Actor, View } from "./kernel/door.ts";
import { scopesOfRow } from "./keys/holder.ts";
import { secretEnd } from "./keys/secrets.ts";
import { type KeyRow, loadKey, problemOf } from "./keys/store.ts";
import { isLiveSession, loadSession } from "./people/session.ts";
import { grantStatus, loadGrant } from "./support/grant.ts";
import { cached } from "../domain/cache/cached.ts";

export type CallerCode =
  | "unauthorized"
  | "gone"
  | "key_expired"
  | "session_revoked"
  | "org_suspended"
  | "ip_not_allowed"
  | "forbidden"
  | "missing_scope";

/**
 * Isolates check callers with data that is up to two seconds old, and before a body that may take minutes to arrive. So
 * the object checks again, with its own rows, when the effect happens, in the contract's order.
 */
export function callerRefusal(view: View, servesEnded = false): Refusal<CallerCode> | null {
  return JUDGES[view.actor.kind](view, servesEnded);
}

/** The operator's key is a setting of the platform, and the system is not a caller: neither has a row. */
const JUDGES: Readonly<
  Record<Actor["kind"], (view: View, servesEnded: boolean) => Refusal<CallerCode> | null>
> = {
  operator: () => null,
  system: () => null,
  key: keyRefusal,
  session: sessionRefusal,
  support: supportRefusal,
  // Customers only read, under a token that is asked about on each request.
  customer: () => refuse("forbidden"),
};

function keyRefusal(view: View, servesEnded: boolean): Refusal<CallerCode> | null {
  const row = loadKey(view.sql, view.actor.id);
  if (row === null) return refuse("unauthorized");
  return (
    stateRefusal(view, row, servesEnded) ??
    orgRefusal(view) ??
    addressRefusal(view) ??
    roleRefusal(view, row.role) ??
    scopeRefusal(view, row)
  );
}

function stateRefusal(
  { credential, sql, now }: View,
  row: KeyRow,
  servesEnded: boolean,
): Refusal<CallerCode> | null {
  const digest = credential?.digest ?? null;
  const secretEndsAt = digest === null ? null : secretEnd(sql, row, digest, now);
  if (secretEndsAt === undefined) return refuse("unauthorized");
  const expiresAt = earlierEnd(row.expires_at, secretEndsAt);
  const problem = problemOf(row, now, expiresAt);
  if (problem === null || (servesEnded && isFinishing(row, now))) return null;
  return refuseKey(problem);
}

function isFinishing({ revoked_at: revokedAt, expires_at: expiresAt }: KeyRow, now: number): boolean {
  return mayFinish({ revokedAt, expiresAt }, now);
}

function sessionRefusal(view: View): Refusal<CallerCode> | null {
  const row = loadSession(view.sql, view.actor.id);
  if (row === null || !isLiveSession(view, row)) return refuse("session_revoked");
  return orgRefusal(view) ?? addressRefusal(view) ?? roleRefusal(view, row.role);
}

function supportRefusal(view: View): Refusal<CallerCode> | null {
  const grant = loadGrant(view, view.actor.onBehalfOf ?? "");
  if (grant === null) return refuse("unauthorized");
  return grantRefusal(grantStatus(grant, view.now)) ?? orgRefusal(view);
}

function orgRefusal(view: View): Refusal<"org_suspended"> | null {
  return view.profile().status === "suspended" ? refuse("org_suspended") : null;
}

/** Keyed by the list itself, which stays the same object until the profile changes. */
const parsedLists = new WeakMap<readonly string[], readonly Cidr[]>();

function addressRefusal(view: View): Refusal<"ip_not_allowed"> | null {
  const { ipAllowList } = view.profile();
  if (ipAllowList.length === 0) return null;
  const list = cached(parsedLists, ipAllowList, () => ipAllowList.flatMap((text) => parseCidr(text) ?? []));
  return addressAllowed(list, view.actor.address ?? "") ? null : refuse("ip_not_allowed");
}

/** Rules use the actor's role, so it must be no higher than the stored one, and high enough for the operation. */
function roleRefusal({ actor, credential }: View, stored: KeyRole): Refusal<"forbidden"> | null {
  const suffices = credential === null || roleIncludes(stored, credential.role);
  return suffices && roleIncludes(stored, actor.role) ? null : refuse("forbidden");
}

function scopeRefusal({ credential }: View, row: KeyRow): Refusal<"missing_scope"> | null {
  if (credential === null || credential.scopes.length === 0) return null;
  const scopes: readonly Scope[] = scopesOfRow(row);
  const lacking = lackingScope(credential, (scope) => scopes.includes(scope));
  return lacking === null ? null : refuse("missing_scope", { required: lacking });
}
