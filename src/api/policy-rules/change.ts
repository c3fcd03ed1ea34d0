import { policyRule, policyRuleChange } from "../../contract/resources/policy-rules.ts";
import { operation } from "../../edge/request/operation.ts";
import { workingWhen } from "./working-when.ts";

export const changePolicyRule = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}/policy-rules/{rule_id}",
    summary: "Change a policy rule",
    role: "admin",
    scope: "policies:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    body: policyRuleChange.extend({ when: workingWhen.optional() }),
    reply: { 200: policyRule },
    refuses: ["conflict"],
  },
  (call) => call.org.command("changePolicyRule", { ...call.body, ruleId: call.params.rule_id }),
);
