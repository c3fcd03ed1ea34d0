import { z } from "zod";
import { policyRule } from "../../contract/policy-resources.ts";
import { operation } from "../../edge/operation.ts";
import { ruleFields } from "./shapes.ts";

export const createPolicyRule = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/policy-rules",
    summary: "Create a policy rule",
    description:
      "Runs are held against every rule: deny beats require_approval beats allow, and a run that none matches is allowed.",
    role: "admin",
    scope: "policies:write",
    idempotent: true,
    body: z.strictObject({
      ...ruleFields,
      priority: ruleFields.priority.default(0),
      mode: ruleFields.mode.default("enforce"),
    }),
    reply: { 201: policyRule },
    refuses: ["conflict"],
  },
  (call) => call.org.command("createPolicyRule", call.body),
);
