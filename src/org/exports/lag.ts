import { windowFrom } from "../../domain/export/window.ts";
import { loadSpanState } from "../span-exports/state.ts";
import type { ScheduledExport } from "../../contract/resources/exports.ts";
import type { View } from "../kernel/door.ts";
import { type ExportRow, isOfSpans, loadExport, loadExports, openWindow, toExport } from "./store.ts";

/** When the first window that is not written ended, or will end. Of spans: since when some wait. Null if none does. */
function endOfUnwritten(sql: SqlStorage, row: ExportRow): number | null {
  if (isOfSpans(row)) return loadSpanState(sql, row.name).waiting_since;
  return openWindow(sql, row.name)?.to_at ?? windowFrom(row.every, row.next_from).toMs;
}

/** For how long a closed window of this export has not been written, or spans have not been taken. */
function lagOf(sql: SqlStorage, row: ExportRow, now: number): number {
  return Math.max(0, now - (endOfUnwritten(sql, row) ?? now));
}

/**
 * The same of all exports, as the moment since when one waits. It may be yet to come. Null if there is none that waits.
 */
export function waitingSince(sql: SqlStorage): number | null {
  const ends = loadExports(sql)
    .map((row) => endOfUnwritten(sql, row))
    .filter((end) => end !== null);
  return ends.length === 0 ? null : Math.min(...ends);
}

type Now = Pick<View, "sql" | "now">;

export function showExport({ sql, now }: Now, row: ExportRow): ScheduledExport {
  return toExport(sql, row, lagOf(sql, row, now));
}

export function exportNow(view: Now, { name }: { name: string }): ScheduledExport | null {
  const row = loadExport(view.sql, name);
  return row === null ? null : showExport(view, row);
}
