import { DECISION_REFUSALS } from "../../contract/decision-codes.ts";
import { decisionAsk, verdict } from "../../contract/resources/decisions/decisions.ts";
import { answerDecision } from "../../edge/decision/answer.ts";
import { DECISION_CONTRACT, DECISION_HANDLER } from "../../edge/decision/serve.ts";
import { operation } from "../../edge/request/operation.ts";
import type { Operation } from "../../edge/request/operation-types.ts";

const published = operation(
  {
    ...DECISION_CONTRACT,
    summary: "Decide whether a run may go ahead",
    description:
      "Allow reserves the amount against every limit that applies, until a run settles the reservation, it is released, or it expires. Deny is an error response that you can relay unchanged. With `checks: all`, it is checked against everything that a run is checked against, and the run that settles the reservation is not checked again.",
    body: decisionAsk,
    reply: { 200: verdict },
    refuses: DECISION_REFUSALS,
  },
  (call) => answerDecision(call, call.body),
);

/** As the router serves it: for calls that this Worker makes to itself, and paths that are spelled differently. */
export const decide: Operation = { ...published, ...DECISION_HANDLER };
