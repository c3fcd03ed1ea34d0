import { isTable } from "../../storage/tables.ts";

/**
 * An archive on its way in. It is stored beside nothing: the object has no org, and gets one when the whole archive has
 * arrived and was verified. Only one import at a time; a newer one takes the place of an older one.
 */
const TABLES = `CREATE TABLE IF NOT EXISTS import_frames (n INTEGER PRIMARY KEY, frame BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS import_attempt (id TEXT NOT NULL) STRICT`;

export function beginStaging(sql: SqlStorage, attempt: string): void {
  dropStaging(sql);
  sql.exec(TABLES);
  sql.exec("INSERT INTO import_attempt (id) VALUES (?)", attempt);
}

/** False if another import has taken its place. */
export function stageFrame(sql: SqlStorage, attempt: string, n: number, frame: Uint8Array): boolean {
  if (!isStaging(sql, attempt)) return false;
  sql.exec("INSERT INTO import_frames (n, frame) VALUES (?, ?) ON CONFLICT (n) DO NOTHING", n, frame);
  return true;
}

export function isStaging(sql: SqlStorage, attempt: string): boolean {
  return (
    isTable(sql, "import_attempt") &&
    sql.exec("SELECT 1 FROM import_attempt WHERE id = ?", attempt).toArray().length > 0
  );
}

/**
 * The whole archive is here, and the import may make the org at any time. Another region that asks is told so. False if another
 * import has taken its place.
 */
export function sealStaging(sql: SqlStorage, attempt: string): boolean {
  if (!isStaging(sql, attempt)) return false;
  sql.exec("CREATE TABLE IF NOT EXISTS import_sealed (id TEXT NOT NULL) STRICT");
  sql.exec("DELETE FROM import_sealed");
  sql.exec("INSERT INTO import_sealed (id) VALUES (?)", attempt);
  return true;
}

/** The import that may make the org at any time. */
export function sealedAttempt(sql: SqlStorage): string | null {
  if (!isTable(sql, "import_sealed")) return null;
  return sql.exec<{ id: string }>("SELECT id FROM import_sealed").toArray()[0]?.id ?? null;
}

export function* readStagedFrames(sql: SqlStorage): Generator<Uint8Array> {
  for (let n = 0; ; n += 1) {
    const [row] = sql
      .exec<{ frame: ArrayBuffer }>("SELECT frame FROM import_frames WHERE n = ?", n)
      .toArray();
    if (row === undefined) return;
    yield new Uint8Array(row.frame);
  }
}

export function dropStaging(sql: SqlStorage): void {
  for (const table of ["import_frames", "import_attempt", "import_sealed"])
    sql.exec(`DROP TABLE IF EXISTS ${table}`);
}
