import { DECISION } from "../../contract/decision.ts";
import { fallbackAnswer, callFacts } from "../../contract/resources/fallbacks.ts";
import { operation } from "../../edge/request/operation.ts";

export const findFallbacks = operation(
  {
    method: "POST",
    path: "/v1/edge/fallbacks",
    summary: "Find the fallbacks of a call",
    description:
      "Used by the proxy and `sluice/gate`, which keep the answer for a while. They ask only for organizations that have rules.",
    role: DECISION.role,
    scope: DECISION.scope,
    repeatable: true,
    reads: true,
    servedAnywhere: true,
    countedByRouteOnly: true,
    bodyLimit: "decision",
    body: callFacts,
    reply: { 200: fallbackAnswer },
    refuses: [],
  },
  (call) => call.org.query("findFallbacks", call.body),
);
