import { DECISION } from "../../contract/decision.ts";
import { DECISION_REFUSALS } from "../../contract/decision-codes.ts";
import { askHeaders, askOf } from "../../contract/resources/decisions/decision-headers.ts";
import { verdict } from "../../contract/resources/decisions/decisions.ts";
import { answerProxied } from "../../edge/decision/proxied-decision.ts";
import { operation } from "../../edge/request/operation.ts";

export const checkExtAuthz = operation(
  {
    method: "POST",
    path: "/v1/edge/ext-authz",
    summary: "Decide for a proxy that asks in headers",
    description:
      "For Envoy's HTTP `ext_authz` and nginx's `auth_request`: any method, and any path below this one. The decision is asked in `x-sluice-…` headers; the body is not read. An allow names its reservation in headers. A refusal is the one of `POST /v1/edge/decision`, also in `x-sluice-refusal`.",
    role: DECISION.role,
    scope: DECISION.scope,
    anyMethod: true,
    alsoAt: ["/v1/edge/ext-authz/*"],
    servedAnywhere: true,
    countsItself: true,
    ignoresBody: true,
    answersInHeaders: true,
    headers: askHeaders,
    reply: { 200: verdict },
    refuses: DECISION_REFUSALS,
  },
  (call) => answerProxied(call, askOf(call.requestHeaders)),
);
