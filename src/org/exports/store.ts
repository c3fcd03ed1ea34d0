import type {
  ExportFormat,
  ExportPeriod,
  FocusVersion,
  SPAN_FORMAT,
  SPAN_PERIOD,
} from "../../contract/lists.ts";
import type { Destination, ExportWindow, ScheduledExport } from "../../contract/resources/exports.ts";
import { MANIFEST, placeOf } from "../../domain/export/window.ts";
import { formatUsd } from "../../domain/price/money.ts";
import { loadSpanState } from "../span-exports/state.ts";
import { iso } from "../../domain/time/iso.ts";

type CommonRow = {
  name: string;
  focus_version: FocusVersion | null;
  destination: string;
  sealed: string | null;
  /** Counts changes, so that what was made before one is not taken for what was made after it. */
  change: number;
  next_from: number;
  run_from: number;
  adjustment_from: number;
  replacement_from: number;
  created_at: number;
  updated_at: number;
};
export type FileExportRow = CommonRow & { format: ExportFormat; every: ExportPeriod };
export type SpanExportRow = CommonRow & { format: typeof SPAN_FORMAT; every: typeof SPAN_PERIOD };
export type ExportRow = FileExportRow | SpanExportRow;

export function isOfSpans(row: ExportRow): row is SpanExportRow {
  return row.format === "otlp";
}

export type WindowRow = {
  seq: number;
  export: string;
  folder: string;
  from_at: number;
  to_at: number;
  first_run: number;
  first_adjustment: number;
  first_replacement: number;
  run_from: number;
  /** Not included, as in the others. */
  run_to: number;
  adjustment_from: number;
  adjustment_to: number;
  replacement_from: number;
  replacement_to: number;
  files: number;
  rows: number;
  cost: string;
  attempts: number;
  error: string | null;
  next_attempt_at: number | null;
  written_at: number | null;
};

export function loadExport(sql: SqlStorage, name: string): ExportRow | null {
  return sql.exec<ExportRow>("SELECT * FROM exports WHERE name = ?", name).toArray()[0] ?? null;
}

export function loadExports(sql: SqlStorage): readonly ExportRow[] {
  return sql.exec<ExportRow>("SELECT * FROM exports ORDER BY name").toArray();
}

/** The window that is being written. There is at most one: the next is closed when it is done. */
export function openWindow(sql: SqlStorage, name: string): WindowRow | null {
  const rows = sql.exec<WindowRow>(
    "SELECT * FROM export_windows WHERE export = ? ORDER BY from_at DESC, folder DESC LIMIT 1",
    name,
  );
  const [last] = rows.toArray();
  return last === undefined || last.written_at !== null ? null : last;
}

export function destinationOf(row: ExportRow): Destination {
  return JSON.parse(row.destination) as Destination;
}

export function toExport(sql: SqlStorage, row: ExportRow, lag: number): ScheduledExport {
  return {
    name: row.name,
    format: row.format,
    focus_version: row.focus_version,
    every: row.every,
    destination: destinationOf(row),
    lag_seconds: Math.floor(lag / 1000),
    ...(isOfSpans(row) ? progressOfSpans(sql, row) : progressOfFiles(sql, row)),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

type Progress = Pick<ScheduledExport, "written_to" | "last_error" | "spans">;

function progressOfFiles(sql: SqlStorage, row: FileExportRow): Progress {
  const open = openWindow(sql, row.name);
  return { written_to: iso(open?.from_at ?? row.next_from), last_error: open?.error ?? null, spans: null };
}

function progressOfSpans(sql: SqlStorage, { name }: SpanExportRow): Progress {
  const { sent, rejected, dropped, sent_to, error, next_attempt_at } = loadSpanState(sql, name);
  return {
    written_to: iso(sent_to),
    last_error: error,
    spans: {
      sent,
      rejected,
      dropped,
      next_attempt_at: iso(next_attempt_at),
    },
  };
}

export function toWindow(row: WindowRow, { prefix }: Destination): ExportWindow {
  const window = { fromMs: row.from_at, toMs: row.to_at };
  return {
    from: iso(row.from_at),
    to: iso(row.to_at),
    status: row.written_at === null ? "pending" : "written",
    manifest: `${placeOf(prefix, row.export, window)}/${MANIFEST}`,
    files: row.files,
    rows: row.rows,
    cost_usd: formatUsd(BigInt(row.cost)),
    attempts: row.attempts,
    last_error: row.error,
    next_attempt_at: iso(row.next_attempt_at),
    written_at: iso(row.written_at),
  };
}
