import { windowFrom } from "../../domain/export/window.ts";
import { type ExportRow, loadExports, openWindow } from "./store.ts";

/** When the first window that is not written ended, or will end. */
function endOfUnwritten(sql: SqlStorage, row: ExportRow): number {
  return openWindow(sql, row.name)?.to_at ?? windowFrom(row.every, row.next_from).toMs;
}

/** For how long a closed window of this export has not been written. */
export function lagOf(sql: SqlStorage, row: ExportRow, now: number): number {
  return Math.max(0, now - endOfUnwritten(sql, row));
}

/** The same of all exports, as the moment since when one waits. It may be yet to come. Null: there is no export. */
export function waitingSince(sql: SqlStorage): number | null {
  const ends = loadExports(sql).map((row) => endOfUnwritten(sql, row));
  return ends.length === 0 ? null : Math.min(...ends);
}
