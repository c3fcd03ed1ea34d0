import { roleIncludes, type KeyRole, type Role, type Scope } from "../../contract/access.ts";

/** The rights of a caller that can be passed on to a key. */
export interface Holder {
  readonly role: Role;
  /** Null means every scope of the role. */
  readonly scopes: ReadonlySet<Scope> | null;
  /** Null if it does not expire. */
  readonly expiresAtMs: number | null;
}

/** The rights of the holder of a key. */
export interface KeyRights {
  readonly role: KeyRole;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number | null;
}

/** The first right that a key has and the holder lacks. */
export type MissingRight =
  | { readonly kind: "role" }
  | { readonly kind: "scope"; readonly scope: Scope }
  | { readonly kind: "time"; readonly untilMs: number };

/** No one can create a secret with more rights or a later expiry than their own. */
export function findMissingRight(holder: Holder, rights: KeyRights): MissingRight | null {
  if (!roleIncludes(holder.role, rights.role)) return { kind: "role" };
  const { scopes, expiresAtMs } = holder;
  const scope = scopes === null ? undefined : rights.scopes.find((one) => !scopes.has(one));
  if (scope !== undefined) return { kind: "scope", scope };
  if (expiresAtMs === null) return null;
  const outlives = rights.expiresAtMs === null || rights.expiresAtMs > expiresAtMs;
  return outlives ? { kind: "time", untilMs: expiresAtMs } : null;
}

/** The earlier of two expiry times. Null means no expiry. */
export function earlierEnd(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
