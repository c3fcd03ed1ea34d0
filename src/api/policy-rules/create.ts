import { newPolicyRule, policyRule } from "../../contract/resources/policy-rules.ts";
import { operation } from "../../edge/request/operation.ts";
import { workingWhen } from "./working-when.ts";

export const createPolicyRule = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/policy-rules",
    summary: "Create a policy rule",
    description:
      "Every rule is evaluated for each reported run. `deny` takes precedence over `require_approval`, which takes precedence over `allow`. A run that matches no rule is allowed.",
    role: "admin",
    scope: "policies:write",
    idempotent: true,
    dryRun: true,
    body: newPolicyRule.extend({ when: workingWhen }),
    reply: { 201: policyRule },
    refuses: ["conflict"],
  },
  (call) => call.org.command("createPolicyRule", call.body),
);
