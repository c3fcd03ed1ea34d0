import { DECISION } from "../../contract/decision.ts";
import { decisionAsks, verdicts } from "../../contract/resources/decisions/decisions.ts";
import { answerDecisions } from "../../edge/decision/answer-many.ts";
import { operation } from "../../edge/request/operation.ts";

export const decideMany = operation(
  {
    method: "POST",
    path: "/v1/edge/decisions",
    summary: "Decide whether many runs may go ahead",
    description:
      "Each ask is judged by itself, in order, as `POST /v1/edge/decision` would. An ask that is refused has its error in its place.",
    role: DECISION.role,
    scope: DECISION.scope,
    servedAnywhere: true,
    countsItself: true,
    body: decisionAsks,
    reply: { 200: verdicts },
    refuses: [],
  },
  (call) => answerDecisions(call, call.body.asks),
);
