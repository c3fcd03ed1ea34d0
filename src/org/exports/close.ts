import { windowFolder, windowFrom } from "../../domain/export/window.ts";
import { placeAt, positionIn } from "./logs.ts";
import { type FileExportRow, openWindow, type WindowRow } from "./store.ts";

/** The next window of an export, if it is over. From now on it is known what is in it. */
export function closeWindow(sql: SqlStorage, row: FileExportRow, now: number): WindowRow | null {
  const window = windowFrom(row.every, row.next_from);
  if (now < window.toMs) return null;
  const from = positionIn(row);
  const to = placeAt(sql, from, window.toMs);
  sql.exec(
    `INSERT INTO export_windows (export, folder, from_at, to_at, first_run, first_adjustment, first_replacement,
       run_from, run_to, adjustment_from, adjustment_to, replacement_from, replacement_to, files, rows, cost, attempts)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?5, ?8, ?6, ?9, ?7, ?10, 0, 0, '0', 0)`,
    row.name,
    windowFolder(window),
    window.fromMs,
    window.toMs,
    from.run,
    from.adjustment,
    from.replacement,
    to.run,
    to.adjustment,
    to.replacement,
  );
  sql.exec(
    "UPDATE exports SET next_from = ?, run_from = ?, adjustment_from = ?, replacement_from = ? WHERE name = ?",
    window.toMs,
    to.run,
    to.adjustment,
    to.replacement,
    row.name,
  );
  return openWindow(sql, row.name);
}

/** Begins to write a window again, from its first file. */
export function startWindowOver(sql: SqlStorage, window: WindowRow): void {
  sql.exec("DELETE FROM export_files WHERE window = ?", window.seq);
  sql.exec(
    `UPDATE export_windows SET run_from = first_run, adjustment_from = first_adjustment,
       replacement_from = first_replacement, files = 0, rows = 0, cost = '0', attempts = 0, error = NULL,
       next_attempt_at = NULL WHERE seq = ?`,
    window.seq,
  );
}
