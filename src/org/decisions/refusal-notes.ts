import { DECISION_ROUTE, RENEWAL_PATH } from "../../contract/decision.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { type RefusalNote, refusalNote } from "../../domain/refusal/note.ts";
import { type DecisionAsk, leastOf } from "../../gate/decision/ask.ts";
import type { View } from "../kernel/door.ts";
import { estimateOf } from "./estimate.ts";
import { holdRequestOf } from "./hold-request.ts";
import type { HoldRow } from "./store.ts";

/** Returns what is stored of a decision that the object refused. */
export function refusedDecision(
  view: View,
  ask: DecisionAsk,
  keyId: string,
  refusal: Refusal,
): readonly RefusalNote[] {
  const nanos = estimateOf(view, leastOf(ask));
  const note = refusalNote(refusal, {
    at: view.now,
    trace: view.trace,
    parent: view.parent,
    decided: "object",
    operation: DECISION_ROUTE,
    keyId,
    names: ask,
    nanos: isRefusal(nanos) ? null : nanos,
  });
  return note === null ? [] : [note];
}

/**
 * Returns what is stored of a renewal that was refused: what it asked for, and whom its hold is for, as far as that is
 * kept.
 */
export function refusedRenewal(
  view: View,
  hold: HoldRow,
  nanos: bigint,
  refusal: Refusal,
): readonly RefusalNote[] {
  const note = refusalNote(refusal, {
    at: view.now,
    trace: view.trace,
    parent: view.parent,
    decided: "object",
    operation: `POST ${RENEWAL_PATH}`,
    keyId: view.actor.id,
    names: holdRequestOf(hold)?.ask ?? { customer_id: hold.customer_id ?? undefined },
    nanos,
  });
  return note === null ? [] : [note];
}
