import { DECISION } from "../../contract/decision.ts";
import type { OperationContract } from "../../contract/operation.ts";
import { recheck } from "../identity/recheck.ts";
import type { Env } from "../env.ts";
import type { DecisionAsk } from "../../gate/decision/ask.ts";
import type { Operation } from "../request/operation-types.ts";
import { serveCall } from "../request/pipeline.ts";
import { refuseFailure } from "../request/refuse-failure.ts";
import { beginSignal, end } from "../request/signal.ts";
import { answerDecision } from "./answer.ts";
import { introduce } from "./introduce.ts";
import { readAsk, validateAsk } from "./read-ask.ts";

/** The part of a decision's contract that the checks need. Its schemas are with the operation that is published. */
export const DECISION_CONTRACT = {
  method: DECISION.method,
  path: DECISION.path,
  role: DECISION.role,
  scope: DECISION.scope,
  servedAnywhere: true,
  bodyLimit: "decision",
  countsItself: true,
  trustsReply: true,
} as const satisfies Omit<OperationContract, "summary" | "reply" | "refuses">;

/** How a decision is read and made. */
export const DECISION_HANDLER = {
  introduce,
  form: [readAsk, recheck, validateAsk],
  handle: (call) => answerDecision(call, call.body as DecisionAsk),
} satisfies Omit<Operation, "contract">;

const decision: Operation = {
  contract: { ...DECISION_CONTRACT, summary: "", reply: {}, refuses: [] },
  ...DECISION_HANDLER,
};

const NO_PARAMS = {};
const NAMED = { route: DECISION.path, method: DECISION.method };

/** Serves one decision, without the router. */
export async function serveDecision(
  request: Request,
  env: Env,
  context: ExecutionContext,
): Promise<Response> {
  const asked = { method: DECISION.method, path: DECISION.path, env, context };
  try {
    const begun = beginSignal(asked);
    const arrived = { request, url: request.url, env, context, params: NO_PARAMS };
    return await end(asked, begun, NAMED, await serveCall(decision, arrived));
  } catch (error) {
    return refuseFailure(request, env, error as Error);
  }
}
