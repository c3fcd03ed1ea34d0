import { refuse, type Refusal } from "../../contract/refusal.ts";
import { matchesDigest } from "../../domain/key/peppers.ts";
import type { Tx } from "../kernel/door.ts";
import type { KeyRow } from "./store.ts";
import { insertRow } from "../../storage/rows.ts";

/** The secrets of a key: the current one, and those that rotations have replaced, each until its grace period ends. */

const MOST_PREVIOUS = 10;

type PreviousRow = { digest: string; expires_at: number; pepper: string };

function livePrevious(sql: SqlStorage, keyId: string, now: number): PreviousRow[] {
  return sql
    .exec<PreviousRow>(
      "SELECT digest, expires_at, pepper FROM previous_secrets WHERE key_id = ? AND expires_at > ? ORDER BY expires_at",
      keyId,
      now,
    )
    .toArray();
}

/** The stored digest of the secret that was given. Null if it is not a secret of the key. */
export function storedDigest(sql: SqlStorage, row: KeyRow, given: string, now: number): string | null {
  if (matchesDigest(given, row.digest)) return row.digest;
  return livePrevious(sql, row.id, now).find(({ digest }) => matchesDigest(given, digest))?.digest ?? null;
}

/** When the secret with this digest stops working. Null if it does not. Undefined if it is not a secret of the key. */
export function secretEnd(
  sql: SqlStorage,
  row: KeyRow,
  digest: string,
  now: number,
): number | null | undefined {
  if (matchesDigest(digest, row.digest)) return null;
  return livePrevious(sql, row.id, now).find((previous) => matchesDigest(digest, previous.digest))
    ?.expires_at;
}

/** When the last replaced secret stops working. Null if there is none. */
export function lastPreviousEnd(sql: SqlStorage, keyId: string, now: number): number | null {
  return livePrevious(sql, keyId, now).at(-1)?.expires_at ?? null;
}

/**
 * Keeps the key's old secret until the end of its grace period. Above the maximum, the rotation is refused and no grace
 * period is cut short.
 */
export function keepForGrace(tx: Tx, row: KeyRow, graceSeconds: number): Refusal<"conflict"> | null {
  tx.sql.exec("DELETE FROM previous_secrets WHERE key_id = ? AND expires_at <= ?", row.id, tx.now);
  if (graceSeconds === 0) return null;
  const live = livePrevious(tx.sql, row.id, tx.now);
  const soonest = live[0];
  if (soonest !== undefined && live.length >= MOST_PREVIOUS) {
    const until = new Date(soonest.expires_at).toISOString();
    const message = `${MOST_PREVIOUS} earlier secrets of this key are still in their grace period. Wait until ${until}, or rotate with grace_seconds 0.`;
    return refuse("conflict", {}, { message });
  }
  const { id: key_id, digest, pepper } = row;
  insertRow(tx.sql, "previous_secrets", { key_id, digest, expires_at: tx.now + graceSeconds * 1000, pepper });
  return null;
}
