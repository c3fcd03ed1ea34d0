import { type Refusal, isRefusal, refuse } from "../../contract/refusal.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { refuseKey } from "../../domain/key/state.ts";
import { fingerprintPart } from "../../domain/reservation/reservation-id.ts";
import { loadHolds } from "../decisions/store.ts";
import { isAwaited, isGivenToGate } from "../decisions/unreported-hold.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { Tx, View } from "../kernel/door.ts";
import { scopesOfRow } from "../keys/holder.ts";
import { type KeyRow, loadKey, problemOf } from "../keys/store.ts";
import { type RecordResult, type Recorder, rejectRun } from "./record.ts";
import { ReservedRuns } from "./reserved-run.ts";

const ANY_RUN = "runs:write";

/** By then, an isolate has reported, or the sender asks again. */
const REPORTED_AFTER_SECONDS = 1;

type SenderCode = "gone" | "key_expired" | "missing_scope" | "forbidden" | "service_unavailable";

/** Records the runs that their sender may send, as far as it may, and refuses the others, each by itself. */
export function recordSent(tx: Tx, recorder: Recorder, inputs: readonly RunInput[]): readonly RecordResult[] {
  const bound = boundRuns(tx, inputs);
  if (bound === null) return recorder.record(inputs);
  const sent = bound.flatMap((one) => (isRefusal(one) ? [] : [one]));
  const recorded = sent.length === 0 ? [] : recorder.record(sent, { isBound: true });
  const rest = recorded.values();
  return inputs.flatMap((input, index): RecordResult[] => {
    const one = bound[index];
    if (isRefusal(one)) return [rejectRun(input, one)];
    const next = rest.next();
    return next.done === true ? [] : [next.value];
  });
}

/**
 * Returns what is recorded of each run, or why its sender may not send it. Null if the sender may send any run. A key
 * without `runs:write` reports the calls that were decided: a reservation's id proves the call, whoever made it. A key
 * that has ended reports its own calls, and those that no isolate has reported yet, whose key is not known here; every
 * other run gets the same refusal. Either says no more of a call than its reservation does, and waits until that is known.
 */
function boundRuns(
  view: View,
  inputs: readonly RunInput[],
): readonly (RunInput | Refusal<SenderCode>)[] | null {
  const row = senderRow(view);
  if (row === null) return null;
  const ended = endedRefusal(view);
  if (ended === null && scopesOfRow(row).includes(ANY_RUN)) return null;
  const named = inputs.flatMap(({ reservation_id: id }) => (id === undefined ? [] : [id]));
  const { holds, charged } = loadHolds(view.sql, named);
  const reserved = new ReservedRuns(view);
  return inputs.map((input) => {
    const { reservation_id: id } = input;
    if (id === undefined) return ended ?? refuse("missing_scope", { required: ANY_RUN });
    const hold = charged.get(fingerprintPart(id)) ?? holds.get(id);
    if (ended !== null) {
      const isItsOwn = hold === undefined ? mayBeOfIsolate(view, id) : hold.key_id === row.id;
      if (!isItsOwn) return ended;
    }
    if (hold === undefined) {
      // It is no reservation, and refused as such.
      if (!view.mayBeUnreported(id)) return input;
      if (isAwaited(view.reservationIds(), id, view.now)) return refuseUntilReported();
    }
    return hold?.unreported === null ? reserved.read(input, hold) : reserved.readUnknown(input);
  });
}

/** A gate outside reports what it held before its runs, so what it never reported was never held. */
function mayBeOfIsolate(view: View, id: string): boolean {
  return view.mayBeUnreported(id) && !isGivenToGate(view.reservationIds(), id, view.now);
}

/** It is not known yet what was reserved, and under which names. */
function refuseUntilReported(): Refusal<"service_unavailable"> {
  const message =
    "This key can only settle reservations, and what was reserved is not reported yet. A gate reports its reservations before their runs. Send the run again.";
  return refuse("service_unavailable", {}, { message, retryAfterSeconds: REPORTED_AFTER_SECONDS });
}

/** How a key that has ended is refused. Null for any other sender. */
export function endedRefusal(view: View): Refusal<"gone" | "key_expired"> | null {
  const row = senderRow(view);
  if (row === null) return null;
  const problem = problemOf(row, view.now);
  return problem === null ? null : refuseKey(problem);
}

function senderRow(view: View): Readonly<KeyRow> | null {
  const keyId = keyOf(view);
  return keyId === undefined ? null : loadKey(view.sql, keyId);
}
