import { invalidField } from "../../contract/refusal.ts";
import { org, orgChangeByOperator } from "../../contract/resources/orgs.ts";
import { operation } from "../../edge/request/operation.ts";
import { loadPlan } from "../../platform/plans.ts";

export const changeAdminOrg = operation(
  {
    method: "PATCH",
    path: "/v1/admin/orgs/{org_id}",
    summary: "Change an organization's name or plan",
    role: "operator",
    ifMatch: true,
    body: orgChangeByOperator,
    reply: { 200: org },
    refuses: ["conflict"],
  },
  async (call) => {
    const { name: newName, plan: planName } = call.body;
    const plan = planName === undefined ? undefined : await loadPlan(call.env.DB, planName);
    if (plan === null) {
      return invalidField("plan", "invalid_value", "is not a known plan");
    }
    return call.org.command("changeOrg", { name: newName, plan });
  },
);
