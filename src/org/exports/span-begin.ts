import { MOST_SPANS } from "../../domain/telemetry/bounds.ts";
import type { Tx } from "../kernel/door.ts";
import { firstSeqAt } from "../refusals/store.ts";
import { loadSpanState, saveSpanState, spanExports, type SpanState } from "../span-exports/state.ts";

/** A new export sends what comes from now on. One that is changed goes on at once, with what waits. */
export function beginOrResume({ sql, now }: Tx, name: string): void {
  const before = spanExports(sql).includes(name) ? loadSpanState(sql, name) : null;
  const state: SpanState = before ?? {
    name,
    refusal_from: firstSeqAt(now),
    refusal_read_to: 0,
    refusal_row: null,
    refusal_index: 0,
    most: MOST_SPANS,
    sent: 0,
    rejected: 0,
    dropped: 0,
    sent_to: now,
    waiting_since: null,
    attempts: 0,
    error: null,
    next_attempt_at: null,
  };
  saveSpanState(sql, { ...state, most: MOST_SPANS, attempts: 0, error: null, next_attempt_at: null });
}
