import { roleIncludes, type KeyRole, type Role, type Scope } from "../contract/access.ts";

/** What a caller has, as far as it can be handed on to a key. */
export interface Holder {
  readonly role: Role;
  /** Null: all that the role may use. */
  readonly scopes: ReadonlySet<Scope> | null;
  /** Null: it does not expire. */
  readonly expiresAtMs: number | null;
}

/** What somebody has who holds a key. */
export interface KeyRights {
  readonly role: KeyRole;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number | null;
}

/** The first thing that a key has and the holder lacks. */
export type Lack =
  | { readonly kind: "role" }
  | { readonly kind: "scope"; readonly scope: Scope }
  | { readonly kind: "time"; readonly untilMs: number };

/** Nobody hands out a secret that can do more, or lives longer, than what they hold themselves. */
export function lackOf(holder: Holder, rights: KeyRights): Lack | null {
  if (!roleIncludes(holder.role, rights.role)) return { kind: "role" };
  const { scopes, expiresAtMs } = holder;
  const scope = scopes === null ? undefined : rights.scopes.find((one) => !scopes.has(one));
  if (scope !== undefined) return { kind: "scope", scope };
  if (expiresAtMs === null) return null;
  const outlives = rights.expiresAtMs === null || rights.expiresAtMs > expiresAtMs;
  return outlives ? { kind: "time", untilMs: expiresAtMs } : null;
}

/** The earlier of two ends, where null is no end. */
export function earlierEnd(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
