import { DECISION_ROUTE, RENEWAL_PATH } from "../../contract/decision.ts";
import { isRefusal, type Refusal } from "../../contract/refusal.ts";
import { type RefusalNote, refusalNote, type RefusedCall } from "../../domain/refusal/note.ts";
import { type DecisionAsk, leastOf } from "../../gate/decision/ask.ts";
import type { View } from "../kernel/door.ts";
import { estimateOf } from "./estimate.ts";
import { holdRequestOf } from "./hold-request.ts";
import type { HoldRow } from "./store.ts";

/** What a refusal of the object was about, but for the call that it ended. */
type Refused = Omit<RefusedCall, "at" | "trace" | "decided">;

/** Returns what is stored of a call that the object refused. */
export function notesOf({ now, trace, parent }: View, refusal: Refusal, refused: Refused): RefusalNote[] {
  const note = refusalNote(refusal, { at: now, trace, decided: "object", parent, ...refused });
  return note === null ? [] : [note];
}

/** The same of a decision. */
export function refusedDecision(
  view: View,
  ask: DecisionAsk,
  keyId: string,
  refusal: Refusal,
): readonly RefusalNote[] {
  const nanos = estimateOf(view, leastOf(ask));
  const known = isRefusal(nanos) ? null : nanos;
  return notesOf(view, refusal, { operation: DECISION_ROUTE, keyId, names: ask, nanos: known });
}

/** The same of a renewal: what it asked for, and whom its hold is for, as far as that is kept. */
export function refusedRenewal(
  view: View,
  hold: HoldRow,
  nanos: bigint,
  refusal: Refusal,
): readonly RefusalNote[] {
  const names = holdRequestOf(hold)?.ask ?? { customer_id: hold.customer_id ?? undefined };
  const operation = `POST ${RENEWAL_PATH}`;
  return notesOf(view, refusal, { operation, keyId: view.actor.id, names, nanos });
}
