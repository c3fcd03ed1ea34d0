import { archiveOf } from "../segments/archive-binding.ts";
import { isTable } from "../../../storage/tables.ts";

/**
 * Files of an org that went to another region, which has their runs. They are deleted here. The table is made when an org goes,
 * and stays if it comes back: what it archives then has other names.
 */
const TABLE = "CREATE TABLE IF NOT EXISTS left_files (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID";

/** Names that the platform deletes at once. */
const DELETED_AT_ONCE = 1000;

export function fileNames(sql: SqlStorage): readonly string[] {
  return sql
    .exec<{ name: string }>("SELECT name FROM run_files")
    .toArray()
    .map(({ name }) => name);
}

export function noteLeft(sql: SqlStorage, names: readonly string[]): void {
  if (names.length === 0) return;
  sql.exec(TABLE);
  for (const name of names) sql.exec("INSERT INTO left_files (name) VALUES (?) ON CONFLICT DO NOTHING", name);
}

export function hasLeft(sql: SqlStorage): boolean {
  return isTable(sql, "left_files") && sql.exec("SELECT 1 FROM left_files LIMIT 1").toArray().length > 0;
}

/** Safe to repeat: a name is forgotten after its file is gone. */
export async function deleteLeft(sql: SqlStorage): Promise<void> {
  const { bucket } = archiveOf(sql);
  if (bucket === null) return;
  while (hasLeft(sql)) {
    const names = sql
      .exec<{ name: string }>("SELECT name FROM left_files ORDER BY name LIMIT ?", DELETED_AT_ONCE)
      .toArray()
      .map(({ name }) => name);
    await bucket.delete(names);
    sql.exec("DELETE FROM left_files WHERE name <= ?", names.at(-1) ?? "");
  }
}
