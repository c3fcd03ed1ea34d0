import { policyRule } from "../../contract/resources/policy-rules.ts";
import { operation } from "../../edge/request/operation.ts";

export const getPolicyRule = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/policy-rules/{rule_id}",
    summary: "Read a policy rule",
    role: "viewer",
    scope: "policies:read",
    reply: { 200: policyRule },
    refuses: [],
  },
  (call) => call.org.query("getPolicyRule", { ruleId: call.params.rule_id }),
);
