import { isRefusal } from "../../contract/refusal.ts";
import type { ExplainBody } from "../../contract/resources/explain.ts";
import { modelsOf } from "../decisions/decide.ts";
import { command, done, type CheckpointedView } from "../kernel/door.ts";
import { explainAsk } from "./ask.ts";
import type { ExplanationResult } from "./explanation.ts";
import { explainHold } from "./hold.ts";
import { explainRun } from "./run.ts";
import { explainRefusal, explainTrace } from "./trace.ts";

/** Explains what happened to a call, or would happen: every check in order. It changes nothing. */
export const explain = command({
  action: null,
  refuses: ["not_found", "validation_failed"],
  readsRefusals: true,
  reservations: ({ reservation_id }: ExplainBody) => (reservation_id === undefined ? [] : [reservation_id]),
  models: ({ ask }: ExplainBody) => (ask === undefined ? [] : modelsOf(ask)),
  run(tx, question: ExplainBody) {
    const found = explained(tx, question);
    return isRefusal(found) ? found : done(200, found);
  },
});

function explained(view: CheckpointedView, question: ExplainBody): ExplanationResult {
  const { ask, trace_id, refusal_id, reservation_id, run_id } = question;
  if (ask !== undefined) return explainAsk(view, ask);
  if (trace_id !== undefined) return explainTrace(view, trace_id);
  if (refusal_id !== undefined) return explainRefusal(view, refusal_id);
  if (reservation_id !== undefined) return explainHold(view, reservation_id);
  return explainRun(view, run_id ?? "", { subject: "run_id", id: run_id ?? "" });
}
