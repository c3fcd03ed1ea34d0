import type { Bound } from "../../storage/scan-bounds.ts";

/**
 * A session that an API key opened, and a link that one made, work as long as the secret that they were made with: they end
 * when the key is revoked or expires, and when a rotation takes the secret away. Rows without a key were vouched for by someone else.
 */
export type ParentKey = {
  readonly key_id: string | null;
  readonly key_digest: string | null;
};

/** The rows whose key still works. */
export function keyWorks(table: "sessions" | "console_links", now: number): Bound {
  const sql = `(${table}.key_id IS NULL OR EXISTS (
    SELECT 1 FROM keys AS k WHERE k.id = ${table}.key_id AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > ?) AND (k.not_before IS NULL OR k.not_before <= ?)
      AND (k.digest = ${table}.key_digest OR EXISTS (
        SELECT 1 FROM previous_secrets AS p
        WHERE p.key_id = k.id AND p.digest = ${table}.key_digest AND p.expires_at > ?))))`;
  return { sql, bindings: [now, now, now] };
}
