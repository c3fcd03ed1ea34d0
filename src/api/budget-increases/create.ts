import { newIncrease } from "../../contract/resources/budget-increases.ts";
import { budgetIncrease } from "../../contract/resources/budgets/budgets.ts";
import { operation } from "../../edge/request/operation.ts";

export const createIncrease = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/budgets/{budget_id}/increases",
    summary: "Raise a budget's limit until a time",
    description:
      "The increase ends by itself: nothing is admitted after `until` that passes the limit without it. With `group_by`, it is added to the limit of each value. A budget can have 20 increases at once.",
    role: "admin",
    scope: "budgets:write",
    idempotent: true,
    body: newIncrease,
    reply: { 201: budgetIncrease },
    refuses: ["conflict"],
  },
  (call) => call.org.command("increaseBudget", { id: call.params.budget_id, ...call.body }),
);
