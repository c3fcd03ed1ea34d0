import { type SpanStep, spanWaitMs } from "../../domain/telemetry/answer.ts";
import { MOST_SPANS } from "../../domain/telemetry/bounds.ts";
import type { Tx } from "../kernel/door.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { loadExport, type SpanExportRow } from "./store.ts";
import type { ReadSpans } from "./span-read.ts";
import { loadSpanState, saveSpanState, type SpanState } from "../span-exports/state.ts";

/** A request on its way. */
export interface SpanSource {
  readonly row: SpanExportRow;
  readonly state: SpanState;
  readonly read: ReadSpans;
}

/**
 * Notes what became of a request, unless the export was changed or deleted meanwhile. True if the next one can follow.
 */
export function recordSpans(tx: Tx, sending: SpanSource, step: SpanStep): boolean {
  const { row, read } = sending;
  if (loadExport(tx.sql, row.name)?.change !== row.change) return true;
  const state = loadSpanState(tx.sql, row.name);
  const { count } = read.batch;
  if (step.kind === "failed") {
    return wait(tx, failed(state, step.error, read.since), tx.now + step.waitMs);
  }
  if (step.kind === "refused" && count > 1) {
    const smaller = { ...failed(state, step.error, read.since), most: Math.ceil(count / 2) };
    return goOn(tx, { ...smaller, attempts: state.attempts });
  }
  const rejected = step.kind === "refused" ? count : step.rejected;
  const moved = movedOn(tx, sending, rejected);
  // A receiver that refuses everything must not make everything pass in no time.
  if (step.kind === "refused") {
    return wait(tx, failed(moved, step.error, null), tx.now + spanWaitMs(state.attempts + 1));
  }
  if (count === 0) return goOn(tx, moved);
  return goOn(tx, { ...moved, most: Math.min(MOST_SPANS, state.most * 2), attempts: 0, error: null });
}

/** After a request whose spans the receiver has, or will never take. */
function movedOn({ sql }: Tx, { row, read }: SpanSource, rejected: number): SpanState {
  const { run, refusals, lateDone, dropped } = read.next;
  // The numbers of an empty log begin anew meanwhile.
  sql.exec("UPDATE exports SET run_from = ? WHERE name = ? AND run_from = ?", run, row.name, row.run_from);
  for (const seq of lateDone) {
    sql.exec("DELETE FROM late_refusals WHERE export = ? AND seq = ?", row.name, seq);
  }
  const state = loadSpanState(sql, row.name);
  return {
    ...state,
    ...refusals,
    sent: state.sent + read.batch.count - rejected,
    rejected: state.rejected + rejected,
    dropped: state.dropped + dropped,
    sent_to: Math.max(state.sent_to, read.sentTo),
    waiting_since: null,
    next_attempt_at: null,
  };
}

function failed(state: SpanState, error: string, since: number | null): SpanState {
  return { ...state, error, attempts: state.attempts + 1, waiting_since: since };
}

function wait(tx: Tx, state: SpanState, at: number): false {
  saveSpanState(tx.sql, { ...state, next_attempt_at: at });
  tx.schedule(DUE.export, state.name, at);
  return false;
}

function goOn(tx: Tx, state: SpanState): true {
  saveSpanState(tx.sql, state);
  tx.schedule(DUE.export, state.name, tx.now);
  return true;
}
