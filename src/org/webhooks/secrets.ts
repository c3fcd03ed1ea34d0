import { randomBytes } from "node:crypto";
import { encrypt, decryptAny, ENCRYPTED_FOR } from "../../domain/key/encrypt.ts";
import { SECRET_BYTES, type Signing, webhookSecret } from "../../domain/webhook/signature.ts";
import { peppersOf } from "../../settings.ts";
import type { View } from "../kernel/door.ts";

/** The owner of the secret that subscriptions without their own share. */
export const ORG_OWNER = "org";

/** Each valid secret adds a signature to every delivery. Above this many, the oldest ends early. */
const MAX_LIVE = 5;

type SecretRow = {
  seq: number;
  sealed: string;
  last4: string;
  created_at: number;
  /** Null for the current one. Otherwise the end of its grace period. */
  expires_at: number | null;
};

/** The current one first, then those in their grace period, newest first. */
function liveRows(view: View, owner: string): SecretRow[] {
  return view.sql
    .exec<SecretRow>(
      `SELECT * FROM webhook_secrets WHERE owner = ? AND (expires_at IS NULL OR expires_at > ?)
       ORDER BY seq DESC`,
      owner,
      view.now,
    )
    .toArray();
}

export function hasOwnSecret(sql: SqlStorage, owner: string): boolean {
  return sql.exec("SELECT 1 FROM webhook_secrets WHERE owner = ? LIMIT 1", owner).toArray().length > 0;
}

/** A new secret for an owner. Earlier ones stay valid for at most the grace period, and never longer than before. */
export function addSecret(view: View, owner: string, graceMs: number): string {
  const secret = webhookSecret(randomBytes(SECRET_BYTES));
  view.sql.exec(
    "UPDATE webhook_secrets SET expires_at = MIN(COALESCE(expires_at, ?1), ?1) WHERE owner = ?2",
    view.now + graceMs,
    owner,
  );
  view.sql.exec(
    "INSERT INTO webhook_secrets (owner, sealed, last4, created_at) VALUES (?, ?, ?, ?)",
    owner,
    encrypt(view.settings.SVC_KEY_PEPPER, ENCRYPTED_FOR.webhookSecret, secret),
    secret.slice(-4),
    view.now,
  );
  view.sql.exec(
    `DELETE FROM webhook_secrets WHERE owner = ?1 AND (expires_at <= ?2
       OR seq NOT IN (SELECT seq FROM webhook_secrets WHERE owner = ?1 ORDER BY seq DESC LIMIT ?3))`,
    owner,
    view.now,
    MAX_LIVE,
  );
  return secret;
}

export function dropSecrets(sql: SqlStorage, owner: string): void {
  sql.exec("DELETE FROM webhook_secrets WHERE owner = ?", owner);
}

/** The part of a secret that may be shown. Null if the owner has none. */
export function secretFacts(view: View, owner: string) {
  const [current, previous] = liveRows(view, owner);
  if (current === undefined) return null;
  return {
    secret_last4: current.last4,
    created_at: new Date(current.created_at).toISOString(),
    previous_expires_at:
      previous === undefined || previous.expires_at === null
        ? null
        : new Date(previous.expires_at).toISOString(),
  };
}

/** How a subscription's deliveries are signed now. */
export function signingOf(view: View, subscriptionId: string): Signing {
  const own = hasOwnSecret(view.sql, subscriptionId);
  const rows = liveRows(view, own ? subscriptionId : ORG_OWNER);
  const [first, ...rest] = rows.map((row) =>
    decryptAny(peppersOf(view.settings), ENCRYPTED_FOR.webhookSecret, row.sealed),
  );
  if (first === undefined) throw new Error(`subscription ${subscriptionId} has nothing to be signed with`);
  return { scheme: own ? "v2" : "v1", secrets: [first, ...rest] };
}
