import { DECISION, MOST_BODY_BYTES_WITH_INPUT } from "../../contract/decision.ts";
import { DECISION_REFUSALS } from "../../contract/decision-codes.ts";
import { isRefusal, refuse } from "../../contract/refusal.ts";
import { fixedAskHeaders } from "../../contract/resources/decisions/decision-headers.ts";
import type { Verdict } from "../../contract/resources/decisions/decisions.ts";
import { type GuardrailReply, guardrailAsk, guardrailReply } from "../../contract/resources/guardrail.ts";
import { blockedBy, boundOfTexts, guardrailDecision } from "../../domain/safety/guardrail.ts";
import { answerProxied } from "../../edge/decision/proxied-decision.ts";
import { operation, reply } from "../../edge/request/operation.ts";
import { checksAll } from "../../gate/decision/ask.ts";

export const checkGuardrail = operation(
  {
    method: "POST",
    path: "/v1/edge/guardrail",
    summary: "Decide for LiteLLM",
    description:
      "In the form of LiteLLM's Generic Guardrail API. A call that is denied gets `BLOCKED`, with the reason; every other error is an error response, which LiteLLM does not let pass. `x-sluice-…` headers take precedence over the body.",
    role: DECISION.role,
    scope: DECISION.scope,
    alsoAt: ["/v1/edge/guardrail/beta/litellm_basic_guardrail_api"],
    servedAnywhere: true,
    countsItself: true,
    keyHeader: "x-api-key",
    bodyLimit: "bulk",
    openBody: true,
    headers: fixedAskHeaders,
    body: guardrailAsk,
    denialReply: blockedBy,
    reply: { 200: guardrailReply },
    refuses: [...DECISION_REFUSALS, "payload_too_large"],
  },
  async (call) => {
    if (call.body.input_type === "response") return reply(200, { action: "NONE" } satisfies GuardrailReply);
    const ask = guardrailDecision(call.requestHeaders, call.body);
    const { checks = "limits" } = call.caller?.org?.snapshot ?? {};
    const isScanned = checksAll(ask, checks);
    if (isScanned && boundOfTexts(call.body) > MOST_BODY_BYTES_WITH_INPUT) {
      return refuse("payload_too_large");
    }
    const answer = await answerProxied(call, isScanned ? { ...ask, input: call.body.texts ?? [] } : ask);
    if (isRefusal(answer)) return answer;
    const { decision_id, reservation } = JSON.parse(answer.text ?? "null") as Verdict;
    return reply(200, { action: "NONE", decision_id, reservation } satisfies GuardrailReply);
  },
);
