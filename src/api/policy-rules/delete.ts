import { operation } from "../../edge/request/operation.ts";

export const deletePolicyRule = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/policy-rules/{rule_id}",
    summary: "Delete a policy rule",
    role: "admin",
    scope: "policies:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deletePolicyRule", { ruleId: call.params.rule_id }),
);
