import { insertRow } from "../../storage/rows.ts";
import { DAY_MS } from "../../contract/durations.ts";
import type { ExportedFile } from "../../domain/export/file.ts";
import { type FileKind, retryWaitMs } from "../../domain/export/window.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { Tx } from "../kernel/door.ts";
import type { LogPosition } from "./logs.ts";
import type { FileFacts } from "./manifest.ts";
import { type FileExportRow, loadExport, openWindow, type WindowRow } from "./store.ts";

const WINDOWS_KEPT_MS = 400 * DAY_MS;

export interface ExportStep {
  readonly row: FileExportRow;
  readonly window: WindowRow;
}

/** The file that a step wrote. */
export interface WrittenFile {
  readonly name: string;
  readonly file: ExportedFile;
  /** The kind of part that it holds, and where the next part begins. Null for the manifest. */
  readonly part: { readonly kind: FileKind; readonly next: LogPosition } | null;
}

/** Notes what a step wrote or why it failed, unless the export was changed or deleted meanwhile. */
export function recordStep(tx: Tx, { row, window }: ExportStep, made: WrittenFile | string): void {
  const { sql, now } = tx;
  const open = openWindow(sql, row.name);
  const isCurrent = loadExport(sql, row.name)?.change === row.change && open?.seq === window.seq;
  if (!isCurrent || open.files !== window.files) return;
  if (typeof made === "string") {
    const attempts = window.attempts + 1;
    const nextAt = now + retryWaitMs(attempts);
    const values = [attempts, made, nextAt, window.seq];
    sql.exec(
      "UPDATE export_windows SET attempts = ?, error = ?, next_attempt_at = ? WHERE seq = ?",
      ...values,
    );
    tx.schedule(DUE.export, row.name, nextAt);
    return;
  }
  if (made.part === null) recordWhole(tx, window);
  else recordFile(sql, window, made, made.part);
  tx.schedule(DUE.export, row.name, now);
}

function recordFile(
  sql: SqlStorage,
  window: WindowRow,
  { name, file }: WrittenFile,
  { kind, next }: NonNullable<WrittenFile["part"]>,
): void {
  const { rows, nanos, bytes, sha256 } = file;
  const cost_usd = formatUsd(nanos);
  const facts: FileFacts = { name, kind, rows, cost_usd, bytes: bytes.length, sha256 };
  const data = JSON.stringify(facts);
  insertRow(sql, "export_files", { window: window.seq, file: window.files + 1, data });
  sql.exec(
    `UPDATE export_windows SET run_from = ?, adjustment_from = ?, replacement_from = ?, files = files + 1,
       rows = rows + ?, cost = ?, attempts = 0, error = NULL, next_attempt_at = NULL WHERE seq = ?`,
    next.run,
    next.adjustment,
    next.replacement,
    rows,
    String(BigInt(window.cost) + nanos),
    window.seq,
  );
}

/** The manifest's line about each file is not needed any more. Old windows are forgotten. */
function recordWhole(tx: Tx, window: WindowRow): void {
  const { sql, now } = tx;
  sql.exec("DELETE FROM export_files WHERE window = ?", window.seq);
  sql.exec(
    "UPDATE export_windows SET written_at = ?, attempts = 0, error = NULL, next_attempt_at = NULL WHERE seq = ?",
    now,
    window.seq,
  );
  sql.exec(
    "DELETE FROM export_windows WHERE export = ? AND written_at IS NOT NULL AND to_at < ?",
    window.export,
    now - WINDOWS_KEPT_MS,
  );
}
