import { DAY_MS } from "../../contract/durations.ts";
import { SpanBatch } from "../../domain/telemetry/batch.ts";
import { refusalSpan } from "../../domain/telemetry/refusal-span.ts";
import { runSpan } from "../../domain/telemetry/run-span.ts";
import type { Span } from "../../domain/telemetry/span.ts";
import { storedTraceParent } from "../../domain/text/traceparent.ts";
import type { View } from "../kernel/door.ts";
import { Breakdowns } from "../runs/breakdown.ts";
import type { StoredRefusal } from "../refusals/find.ts";
import type { Run } from "../runs/run.ts";
import { toRun } from "../runs/run-resource.ts";
import { runSegments } from "../runs/segments/segments.ts";
import type { SpanExportRow } from "./store.ts";
import { RefusalReader } from "./span-refusals.ts";
import type { SpanPlace, SpanState } from "../span-exports/state.ts";

/** Spans that waited for longer are dropped. */
const KEPT_MS = DAY_MS;

export interface ReadSpans {
  readonly batch: SpanBatch;
  readonly next: SpanPlace;
  /** When the first of them was recorded. */
  readonly since: number;
  /** Everything that was recorded before is in this batch or was sent. */
  readonly sentTo: number;
}

/**
 * The next spans of an export, of runs and of refusals, the oldest first. Both are in the order in which they were recorded: a
 * batch that is read again is the same or has more.
 */
export function readSpans(view: View, row: SpanExportRow, state: SpanState): ReadSpans {
  const { sql, orgId, now } = view;
  const segments = runSegments(sql);
  const from = segments.firstSince(row.run_from, now - KEPT_MS);
  const refusals = new RefusalReader(sql, state, now - KEPT_MS);
  const batch = new SpanBatch(orgId, state.most);
  const runs = segments.between(from, segments.lastSeq + 1);
  const breakdowns = new Breakdowns(sql);
  let [nextRun, since, sentTo] = [from, now, now];
  let found = runs.next();
  for (;;) {
    const run = found.done === true ? null : found.value;
    const refusal = refusals.peek();
    if (run === null && refusal === null) break;
    const isRun = run !== null && (refusal === null || run.row.recordedAt <= refusal.at);
    const at = isRun ? run.row.recordedAt : (refusal?.at ?? now);
    const span = isRun ? spanOfRun(orgId, run.row, breakdowns) : spanOfRefusal(orgId, refusal);
    if (!batch.add(span)) {
      sentTo = at;
      break;
    }
    since = Math.min(since, at);
    if (isRun) {
      nextRun = run.seq + 1;
      found = runs.next();
    } else refusals.take();
  }
  const dropped = from - row.run_from + refusals.dropped;
  const { place, lateDone } = refusals;
  return { batch, since, sentTo, next: { run: nextRun, refusals: place, lateDone, dropped } };
}

function spanOfRun(orgId: string, run: Run, breakdowns: Breakdowns): Span {
  return runSpan(orgId, toRun(run, breakdowns, 0n), storedTraceParent(run.extra?.trace ?? null));
}

function spanOfRefusal(orgId: string, refusal: StoredRefusal | null): Span {
  if (refusal === null) throw new Error("there is neither a run nor a refusal to send");
  return refusalSpan(orgId, refusal, storedTraceParent(refusal.parent ?? null));
}
