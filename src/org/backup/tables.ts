import type { CheckpointedSql } from "../../storage/transaction.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import { cellColumn, quoteName } from "../../domain/archive/lines.ts";

/** One table of the object, as an archive contains it. */
export interface ArchivedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * Tables that belong to the place rather than to the org: what makes the tables, the write-ahead log (which gets a checkpoint before),
 * what is on its way to the platform's counters, and archives themselves.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "schema_steps",
  "journal",
  "counted",
  "backup_frames",
  "import_frames",
  "import_attempt",
  "import_sealed",
  "moving",
  "moved",
  "came_by",
  "left_files",
]);

/** Tables that say where archived runs lie. Where the runs themselves are carried, these stay behind. */
export const OF_FILES: ReadonlySet<string> = new Set(["run_files", "run_file_segments", "run_archive"]);

/** The tables of this object, in order. */
export function tablesOf(sql: SqlStorage): ArchivedTable[] {
  const names = sql
    .exec<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .toArray()
    .map(({ name }) => name)
    .filter((name) => !LEFT_OUT.has(name));
  return names.map((name) => ({ name, columns: columnsOf(sql, name) }));
}

/** Without columns that are computed from others. */
function columnsOf(sql: SqlStorage, table: string): string[] {
  return sql
    .exec<{ name: string }>("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", table)
    .toArray()
    .map(({ name }) => name);
}

export function rowsOf(sql: SqlStorage, { name, columns }: ArchivedTable) {
  return sql.exec(`SELECT ${columns.map(cellColumn).join(", ")} FROM ${quoteName(name)}`).raw();
}

/** Returns what all days cost, of the whole org. */
export function spentOfAllDays(sql: CheckpointedSql): string {
  let nanos = 0n;
  for (const { usd } of sql.exec<{ usd: string }>(
    `SELECT CAST(usd AS TEXT) AS usd FROM ${DAILY_USAGE.in(sql)} WHERE scope_kind = 'org'`,
  ))
    nanos += BigInt(usd);
  return String(nanos);
}
