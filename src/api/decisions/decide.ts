import { DECISION } from "../../contract/decision.ts";
import { DECISION_REFUSALS } from "../../contract/decision-codes.ts";
import { decisionAsk, verdict } from "../../contract/resources/decisions/decisions.ts";
import { answerDecision } from "../../edge/decision/answer.ts";
import { operation } from "../../edge/request/operation.ts";

export const decide = operation(
  {
    method: DECISION.method,
    path: DECISION.path,
    summary: "Decide whether a run may go ahead",
    description:
      "Allow reserves the amount against every limit that applies, until a run settles the reservation, it is released, or it expires. Deny is an error response that you can relay unchanged. With `checks: all`, it is checked against everything that a run is checked against, and the run that settles the reservation is not checked again.",
    role: DECISION.role,
    scope: DECISION.scope,
    servedAnywhere: true,
    bodyLimit: "decision",
    countsItself: true,
    body: decisionAsk,
    reply: { 200: verdict },
    refuses: DECISION_REFUSALS,
  },
  (call) => answerDecision(call, call.body),
);
