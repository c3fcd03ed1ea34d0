import type { DueKind } from "../due-kinds.ts";
import { TransactionalCache } from "../../../storage/transactional-cache.ts";

/** Scheduled work, by the org's clock: one row each, so that a failed alarm loses nothing. */

export interface DueRow extends Record<string, SqlStorageValue> {
  kind: DueKind;
  key: string;
  at: number;
}

const next = new TransactionalCache<number | null>();

export function scheduleDue(sql: SqlStorage, kind: DueKind, key: string, at: number | null): void {
  next.forget(sql);
  if (at === null) sql.exec("DELETE FROM due WHERE kind = ? AND key = ?", kind, key);
  else {
    sql.exec(
      "INSERT INTO due (kind, key, at) VALUES (?, ?, ?) ON CONFLICT (kind, key) DO UPDATE SET at = excluded.at",
      kind,
      key,
      Math.ceil(at),
    );
  }
}

export function dueBy(sql: SqlStorage, now: number, limit: number): DueRow[] {
  return sql.exec<DueRow>("SELECT * FROM due WHERE at <= ? ORDER BY at LIMIT ?", now, limit).toArray();
}

export function nextDueAt(sql: SqlStorage): number | null {
  return next.get(sql, () => sql.exec<{ at: number | null }>("SELECT MIN(at) AS at FROM due").one().at);
}
