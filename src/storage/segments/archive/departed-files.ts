import { isTable } from "../../tables.ts";
import { archiveOf } from "../archive-binding.ts";
import type { SegmentPlace } from "../layout.ts";

/**
 * Files of an object that went to another region, which has their rows. They are deleted here. The table is made when an object goes,
 * and stays if it comes back: what it archives then has other names.
 */
const TABLE = "CREATE TABLE IF NOT EXISTS left_files (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID";

/** Names that the platform deletes at once. */
const DELETED_AT_ONCE = 1000;

export function fileNames({ sql, name: of }: SegmentPlace): readonly string[] {
  return sql
    .exec<{ name: string }>(`SELECT name FROM ${of}_files`)
    .toArray()
    .map(({ name }) => name);
}

export function noteDeparted(sql: SqlStorage, names: readonly string[]): void {
  if (names.length === 0) return;
  sql.exec(TABLE);
  for (const name of names) sql.exec("INSERT INTO left_files (name) VALUES (?) ON CONFLICT DO NOTHING", name);
}

export function hasDeparted(sql: SqlStorage): boolean {
  return isTable(sql, "left_files") && sql.exec("SELECT 1 FROM left_files LIMIT 1").toArray().length > 0;
}

/** Safe to repeat: a name is forgotten after its file is gone. */
export async function deleteDeparted(sql: SqlStorage): Promise<void> {
  const { bucket } = archiveOf(sql);
  if (bucket === null) return;
  while (hasDeparted(sql)) {
    const names = sql
      .exec<{ name: string }>("SELECT name FROM left_files ORDER BY name LIMIT ?", DELETED_AT_ONCE)
      .toArray()
      .map(({ name }) => name);
    await bucket.delete(names);
    sql.exec("DELETE FROM left_files WHERE name <= ?", names.at(-1) ?? "");
  }
}
