import { DECISION } from "../../contract/decision.ts";
import { decisionAsk, verdict } from "../../contract/resources/decisions.ts";
import { answerDecision } from "../../edge/decision/answer.ts";
import { operation } from "../../edge/operation.ts";

export const decide = operation(
  {
    method: DECISION.method,
    path: DECISION.path,
    summary: "Decide whether a run may go ahead",
    description:
      "Allow reserves the amount against every limit that applies, until a run settles the reservation, it is released, or it expires. Deny is an error response that you can relay unchanged.",
    role: DECISION.role,
    scope: DECISION.scope,
    servedAnywhere: true,
    bodyLimit: "decision",
    countsItself: true,
    body: decisionAsk,
    reply: { 200: verdict },
    refuses: ["rate_limited", "quota_exhausted", "spend_cap_exceeded", "budget_exceeded", "conflict"],
  },
  (call) => answerDecision(call, call.body),
);
