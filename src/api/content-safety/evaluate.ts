import { safetyEvaluation, safetyInput } from "../../contract/resources/content-safety.ts";
import { operation } from "../../edge/request/operation.ts";

export const evaluateSafety = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/content-safety/evaluate",
    summary: "Try the detectors on an input",
    description: "What each detector finds. Nothing is recorded, and the input is not stored.",
    role: "admin",
    scope: "policies:read",
    repeatable: true,
    body: safetyInput,
    reply: { 200: safetyEvaluation },
    refuses: [],
  },
  (call) => call.org.query("evaluateSafety", call.body),
);
