import type { Correction } from "../../domain/export/correction.ts";
import type { Content } from "../../domain/export/writers.ts";
import type { FileKind } from "../../domain/export/window.ts";
import type { RunNames } from "../../domain/run/segment/run-names.ts";
import { type AdjustmentRow, fromAdjustmentRow } from "../adjustments/store.ts";
import { runSegments } from "../runs/segments/segments.ts";
import { countCharactersApart } from "../runs/long-metadata.ts";
import type { Run } from "../runs/run.ts";
import { runsAsRecorded } from "../runs/to-api.ts";
import { findRuns } from "../runs/store.ts";
import type { LogPosition } from "./logs.ts";
import type { WindowRow } from "./store.ts";

/** So much is read before other calls are served. */
const STEP_RUNS = 1_000;
const STEP_CHARACTERS = 2_097_152;
const STEP_CORRECTIONS = 500;

export interface ReadPart {
  readonly content: Content;
  readonly next: LogPosition;
}

/** Returns what comes next in a window, of what a kind of file has. Null if there is nothing. */
export function readPart(
  sql: SqlStorage,
  window: WindowRow,
  at: LogPosition,
  kind: FileKind,
): ReadPart | null {
  if (kind !== "corrections" && at.run < window.run_to) return readRuns(sql, window, at);
  if (kind === "runs") return null;
  if (at.adjustment < window.adjustment_to) {
    const toCorrections = (rows: readonly AdjustmentRow[]) => adjustmentsOf(sql, rows);
    return readCorrections(sql, { window, at, log: "adjustment" }, toCorrections);
  }
  return at.replacement < window.replacement_to
    ? readCorrections(sql, { window, at, log: "replacement" }, replacementsOf)
    : null;
}

/** The logs of corrections, by the kind of row in each. */
interface CorrectionRows {
  readonly adjustment: AdjustmentRow;
  readonly replacement: ReplacementRow;
}

interface CorrectionPlace<Log> {
  readonly window: WindowRow;
  readonly at: LogPosition;
  readonly log: Log;
}

/** Returns which kind of file comes next. Null if the window is whole. */
export function nextKind(window: WindowRow, at: LogPosition, isFocus: boolean): FileKind | null {
  const hasRuns = at.run < window.run_to;
  if (!hasRuns && at.adjustment >= window.adjustment_to && at.replacement >= window.replacement_to)
    return null;
  if (isFocus) return "charges";
  return hasRuns ? "runs" : "corrections";
}

/** Runs as they were recorded. Changes since then are corrections, so a window is the same whenever it is written. */
function readRuns(sql: SqlStorage, window: WindowRow, at: LogPosition): ReadPart {
  const runs: Run[] = [];
  let [characters, run] = [0, at.run];
  for (const found of runSegments(sql).between(at.run, window.run_to)) {
    characters += found.characters + countCharactersApart(found.row);
    if (runs.length > 0 && (characters > STEP_CHARACTERS || runs.length >= STEP_RUNS)) break;
    runs.push(found.row);
    run = found.seq + 1;
  }
  const next = { ...at, run: runs.length === 0 ? window.run_to : run };
  return { content: { runs: runsAsRecorded(sql, runs), corrections: [] }, next };
}

/** The next corrections of a window, from one of their logs. */
function readCorrections<Log extends keyof CorrectionRows>(
  sql: SqlStorage,
  { window, at, log }: CorrectionPlace<Log>,
  toCorrections: (rows: readonly CorrectionRows[Log][]) => Correction[],
): ReadPart {
  const end = window[`${log}_to`];
  const rows = sql
    .exec<CorrectionRows[Log]>(
      `SELECT * FROM run_${log}s WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ?`,
      at[log],
      end,
      STEP_CORRECTIONS,
    )
    .toArray();
  const next = rows.length < STEP_CORRECTIONS ? end : (rows.at(-1)?.seq ?? 0) + 1;
  return { content: { runs: [], corrections: toCorrections(rows) }, next: { ...at, [log]: next } };
}

function adjustmentsOf(sql: SqlStorage, rows: readonly AdjustmentRow[]): Correction[] {
  const all = rows.map(fromAdjustmentRow);
  const ids = [...new Set(all.map(({ runId }) => runId))];
  const { runs, unreadable } = findRuns(sql, runSegments(sql).probe(ids));
  for (const cause of unreadable.values()) throw cause;
  return all.map((made) => ({
    kind: "adjustment",
    id: made.id,
    runId: made.runId,
    startedAt: runs.get(made.runId)?.startedAt ?? null,
    recordedAt: made.at,
    nanos: made.amount,
    reason: made.reason,
    byRunId: null,
    names: made.names,
  }));
}

type ReplacementRow = {
  seq: number;
  run_id: string;
  by_run_id: string;
  at: number;
  started_at: number;
  cost: string;
  names: string;
};

function replacementsOf(rows: readonly ReplacementRow[]): Correction[] {
  return rows.map((row) => ({
    kind: "replacement",
    id: row.run_id,
    runId: row.run_id,
    startedAt: row.started_at,
    recordedAt: row.at,
    nanos: -BigInt(row.cost),
    reason: null,
    byRunId: row.by_run_id,
    names: JSON.parse(row.names) as RunNames,
  }));
}
