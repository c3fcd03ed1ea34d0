import { HOUR_MS } from "../../contract/durations.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";

/** Kept to within this, so that a key writes at most one row in it, however often it is used. */
const WITHIN_MS = HOUR_MS;

const lately = new TransactionalCache<Map<string, number>>();

export function lastUseOf(sql: SqlStorage, keyId: string): number | null {
  const found = sql.exec<{ at: number }>("SELECT at FROM key_uses WHERE key_id = ?", keyId);
  return found.toArray()[0]?.at ?? null;
}

export function noteUse(sql: SqlStorage, keyId: string, now: number): void {
  const known = lately.get(sql, () => new Map());
  const last = known.get(keyId) ?? lastUseOf(sql, keyId) ?? Number.NEGATIVE_INFINITY;
  const isRecent = now - last < WITHIN_MS;
  known.set(keyId, isRecent ? last : now);
  if (isRecent) return;
  sql.exec(
    "INSERT INTO key_uses (key_id, at) VALUES (?, ?) ON CONFLICT (key_id) DO UPDATE SET at = excluded.at",
    keyId,
    now,
  );
}
