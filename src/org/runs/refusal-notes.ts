import { isRefusal } from "../../contract/refusal.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import type { RefusalNote } from "../../domain/refusal/note.ts";
import { traceParentToStore } from "../../domain/text/traceparent.ts";
import { notesOf } from "../decisions/refusal-notes.ts";
import type { View } from "../kernel/door.ts";
import { Prices } from "./prices.ts";
import type { RecordResult } from "./record.ts";

/** The notes that are stored of refused runs: one for each, even if the batch gets one error. */
export function refusedRuns(
  view: View,
  operation: string,
  runs: readonly RunInput[],
  recorded: readonly RecordResult[],
): RefusalNote[] {
  const refused = recorded.flatMap((one, index) => {
    const run = runs[index];
    return one.status === "rejected" && run !== undefined ? [{ run, refusal: one.refusal }] : [];
  });
  if (refused.length === 0) return [];
  const costs = new Prices(view.sql, view.now).costsOf(refused.map(({ run }) => run));
  return refused.flatMap(({ run, refusal }, index) => {
    const cost = costs[index];
    const nanos = cost === undefined || isRefusal(cost) ? null : cost.nanos;
    const parent = traceParentToStore(run.traceparent ?? null) ?? view.parent;
    return notesOf(view, refusal, { operation, keyId: view.actor.id, names: run, nanos, parent });
  });
}
