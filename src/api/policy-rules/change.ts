import { z } from "zod";
import { policyRule } from "../../contract/policy-resources.ts";
import { operation } from "../../edge/operation.ts";
import { ruleFields } from "./shapes.ts";

export const changePolicyRule = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}/policy-rules/{rule_id}",
    summary: "Change a policy rule",
    role: "admin",
    scope: "policies:write",
    idempotent: true,
    ifMatch: true,
    body: z.strictObject(ruleFields).partial(),
    reply: { 200: policyRule },
    refuses: ["conflict"],
  },
  (call) => call.org.command("changePolicyRule", { ...call.body, ruleId: call.params.rule_id }),
);
