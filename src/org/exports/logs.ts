import { runSegments } from "../runs/segments/segments.ts";
import type { FileExportRow } from "./store.ts";

/** How far something has got in each of the logs that windows have parts of: the first entry that it does not include. */
export interface LogPosition {
  readonly run: number;
  readonly adjustment: number;
  readonly replacement: number;
}

type Log = "run_adjustments" | "run_replacements";

/** The columns that say it of an export, and of a window. */
type PositionColumns = Pick<FileExportRow, "run_from" | "adjustment_from" | "replacement_from">;

export function positionIn(row: PositionColumns): LogPosition {
  return { run: row.run_from, adjustment: row.adjustment_from, replacement: row.replacement_from };
}

export function positionColumns({ run, adjustment, replacement }: LogPosition): PositionColumns {
  return { run_from: run, adjustment_from: adjustment, replacement_from: replacement };
}

/**
 * The first entries, from a place on, that were recorded at a moment or later. Entries are in the order in which they were
 * written, so each is before or after this place, whatever the clocks did.
 */
export function placeAt(sql: SqlStorage, from: LogPosition, atMs: number): LogPosition {
  return {
    run: runSegments(sql).firstSince(from.run, atMs),
    adjustment: firstSince(sql, "run_adjustments", from.adjustment, atMs),
    replacement: firstSince(sql, "run_replacements", from.replacement, atMs),
  };
}

function firstSince(sql: SqlStorage, log: Log, from: number, atMs: number): number {
  const { seq } = sql
    .exec<{ seq: number }>(
      `SELECT IFNULL(MIN(seq), (SELECT IFNULL(MAX(seq), 0) + 1 FROM ${log})) AS seq FROM ${log} WHERE seq >= ? AND at >= ?`,
      from,
      atMs,
    )
    .one();
  return Math.max(from, seq);
}

export const LOGS_BEGIN: LogPosition = { run: 1, adjustment: 1, replacement: 1 };

/** The numbers of an empty log begin anew, here or once the org is imported elsewhere. So do exports that are to go on in it. */
export function followEmptiedLogs(sql: SqlStorage): void {
  if (runSegments(sql).lastSeq === 0) sql.exec("UPDATE exports SET run_from = 1");
  sql.exec("UPDATE exports SET adjustment_from = 1 WHERE NOT EXISTS (SELECT 1 FROM run_adjustments)");
  sql.exec("UPDATE exports SET replacement_from = 1 WHERE NOT EXISTS (SELECT 1 FROM run_replacements)");
}
