import { isTable } from "../../storage/tables.ts";

/**
 * The archives that orgs of this object came from. They are remembered after the org went on: the region that it came from may
 * ask only then whether it arrived.
 */
const LEFT = "CREATE TABLE IF NOT EXISTS came_by (archive TEXT PRIMARY KEY) STRICT, WITHOUT ROWID";

export function importedArchives(sql: SqlStorage): readonly string[] {
  return sql
    .exec<{ id: string }>("SELECT id FROM imported_archives")
    .toArray()
    .map(({ id }) => id);
}

export function noteImported(sql: SqlStorage, archiveId: string, now: number): void {
  sql.exec(
    "INSERT INTO imported_archives (id, at) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
    archiveId,
    now,
  );
}

/** Returns whether the org that is here came from this archive. */
export function wasImported(sql: SqlStorage, archiveId: string): boolean {
  return sql.exec("SELECT 1 FROM imported_archives WHERE id = ?", archiveId).toArray().length > 0;
}

/** When the org came to this object last. Null if it was opened here. */
export function readArrivalTime(sql: SqlStorage): number | null {
  return sql.exec<{ at: number | null }>("SELECT max(at) AS at FROM imported_archives").one().at;
}

export function noteFormerArchives(sql: SqlStorage, archives: readonly string[]): void {
  sql.exec(LEFT);
  for (const archive of archives)
    sql.exec("INSERT INTO came_by (archive) VALUES (?) ON CONFLICT DO NOTHING", archive);
}

/** Returns whether an org that is not here any more came from this archive. */
export function didComeFrom(sql: SqlStorage, archiveId: string): boolean {
  if (!isTable(sql, "came_by")) return false;
  return sql.exec("SELECT 1 FROM came_by WHERE archive = ?", archiveId).toArray().length > 0;
}
