import { type Refusal, refuse } from "../../contract/refusal.ts";
import type { RunInput } from "../../contract/resources/runs/runs.ts";
import { refuseKey } from "../../domain/key/state.ts";
import { loadHolds } from "../decisions/store.ts";
import { keyOf } from "../kernel/actor-key.ts";
import type { Tx, View } from "../kernel/door.ts";
import { scopesOfRow } from "../keys/holder.ts";
import { type KeyRow, loadKey, problemOf } from "../keys/store.ts";
import { type RecordResult, type Recorder, rejectRun } from "./record.ts";

const ANY_RUN = "runs:write";

type SenderCode = "gone" | "key_expired" | "missing_scope";
type SenderRefusal = Refusal<SenderCode> | null;

/** Records the runs that their sender may send, and refuses the others, each by itself. */
export function recordSent(tx: Tx, recorder: Recorder, inputs: readonly RunInput[]): readonly RecordResult[] {
  const refusals = sendRefusals(tx, inputs);
  if (refusals === null) return recorder.record(inputs);
  const sent = inputs.filter((_, index) => refusals[index] === null);
  const recorded = sent.length === 0 ? [] : recorder.record(sent);
  const rest = recorded.values();
  return inputs.flatMap((input, index): RecordResult[] => {
    const refusal = refusals[index] ?? null;
    if (refusal !== null) return [rejectRun(input, refusal)];
    const next = rest.next();
    return next.done === true ? [] : [next.value];
  });
}

/**
 * Returns the runs that their sender may not send, and why. Null if it may send any run. A key without `runs:write`
 * reports the calls that were decided: a reservation's id proves the call, whoever made it. A key that has ended
 * reports its own calls, and those that no isolate has reported yet, whose key is not known here. Every other run gets
 * the same refusal.
 */
function sendRefusals(view: View, inputs: readonly RunInput[]): readonly SenderRefusal[] | null {
  const row = senderRow(view);
  if (row === null) return null;
  const ended = endedRefusal(view);
  if (ended !== null) {
    const named = inputs.flatMap(({ reservation_id: id }) => (id === undefined ? [] : [id]));
    const { holds } = loadHolds(view.sql, named);
    const isItsOwn = (id: string) => {
      const hold = holds.get(id);
      return hold === undefined ? view.mayBeUnreported(id) : hold.key_id === row.id;
    };
    return inputs.map(({ reservation_id: id }) => (id !== undefined && isItsOwn(id) ? null : ended));
  }
  if (scopesOfRow(row).includes(ANY_RUN)) return null;
  const lacking = refuse("missing_scope", { required: ANY_RUN });
  return inputs.map(({ reservation_id: id }) => (id === undefined ? lacking : null));
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
