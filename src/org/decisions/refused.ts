import { DECISION_ROUTE } from "../../contract/decision.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { type RefusalNote, refusalNote } from "../../domain/refusal-note.ts";
import type { DecisionAsk } from "../../gate/ask.ts";
import type { View } from "../kernel/door.ts";
import { estimateOf } from "./decide.ts";

/** What is stored of a decision that the object refused. */
export function refusedDecision(
  view: View,
  ask: DecisionAsk,
  keyId: string,
  refusal: Refusal,
): readonly RefusalNote[] {
  const nanos = estimateOf(view, ask);
  const note = refusalNote(refusal, {
    at: view.now,
    trace: view.trace,
    decided: "object",
    operation: DECISION_ROUTE,
    keyId,
    names: ask,
    nanos: isRefusal(nanos) ? null : nanos,
  });
  return note === null ? [] : [note];
}
