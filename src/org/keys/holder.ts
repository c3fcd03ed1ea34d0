import type { Scope } from "../../contract/access.ts";
import { type Refusal, refuse } from "../../contract/refusal.ts";
import type { Key } from "../../contract/resources/keys.ts";
import { earlierEnd, type Holder, type MissingRight, findMissingRight } from "../../domain/key/rights.ts";
import { type ExpiryAction, usualExpiry } from "../../domain/tenant/profile.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { View } from "../kernel/door.ts";
import { secretEnd } from "./secrets.ts";
import { type KeyRow, loadKey } from "./store.ts";
import { cached } from "../../domain/cache/cached.ts";

/**
 * The rights that the caller can pass on. People and the operator have all rights of their role; a key has those of its
 * row, also through the console.
 */
export function holderOf(view: View): Holder {
  const { actor, sql, now } = view;
  const key = keyBehind(view);
  if (key === null) return { role: actor.role, scopes: null, expiresAtMs: null };
  const row = loadKey(sql, key.id);
  if (row === null) return { role: "viewer", scopes: new Set(), expiresAtMs: now };
  const { digest } = key;
  const secretEndsAt = digest === null ? null : secretEnd(sql, row, digest, now);
  return {
    role: row.role,
    scopes: new Set(scopesOfRow(row)),
    expiresAtMs: secretEndsAt === undefined ? now : earlierEnd(row.expires_at, secretEndsAt),
  };
}

/** The key that calls or that opened the calling session, and the digest of its secret. Null if there is none. */
function keyBehind({ actor, credential, sql }: View): { id: string; digest: string | null } | null {
  if (actor.kind === "key") return { id: actor.id, digest: credential?.digest ?? null };
  if (actor.kind !== "session") return null;
  const [session] = sql.exec<{ id: string | null; digest: string | null }>(
    "SELECT key_id AS id, key_digest AS digest FROM sessions WHERE id = ?",
    actor.id,
  );
  return session === undefined || session.id === null ? null : { id: session.id, digest: session.digest };
}

const scopesOf = new WeakMap<KeyRow, readonly Scope[]>();

export function scopesOfRow(row: KeyRow): readonly Scope[] {
  return cached(scopesOf, row, () => JSON.parse(row.scopes) as Scope[]);
}

/** What becomes of the caller's unsettled reservations by default. */
export function usualExpiryOf(view: View): ExpiryAction {
  const { decisionDefaults } = view.profile();
  const id = keyOf(view);
  const row = id === undefined ? null : loadKey(view.sql, id);
  return row === null ? decisionDefaults.on_expiry : usualExpiry(scopesOfRow(row), decisionDefaults);
}

export function rightsOf(row: KeyRow) {
  return { role: row.role, scopes: scopesOfRow(row), expiresAtMs: row.expires_at };
}

export function refuseRole(): Refusal<"forbidden"> {
  const message = "You cannot create, rotate or revoke a key with a higher role than yours.";
  return refuse("forbidden", {}, { message });
}

export function refuseLack(lack: MissingRight): Refusal<"forbidden" | "missing_scope"> {
  if (lack.kind === "role") return refuseRole();
  if (lack.kind === "scope") {
    const message = `You cannot create or rotate a key with more scopes than yours: you lack ${lack.scope}.`;
    return refuse("missing_scope", { required: lack.scope }, { message });
  }
  const until = new Date(lack.untilMs).toISOString();
  const message = `Your key or secret expires at ${until}, so you cannot create a secret that expires later.`;
  return refuse("forbidden", {}, { message });
}

/** A stored response shows a key's secret, so it is only for callers who could create that key now. */
export function replayedKeyRefusal(
  view: View,
  answer: string,
): Refusal<"forbidden" | "missing_scope"> | null {
  const { role, scopes, expires_at: expiresAt } = JSON.parse(answer) as Key;
  const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
  const lack = findMissingRight(holderOf(view), { role, scopes, expiresAtMs });
  return lack === null ? null : refuseLack(lack);
}
