import { budget, budgetChange } from "../../contract/resources/budgets.ts";
import { operation } from "../../edge/operation.ts";

export const changeBudget = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}/budgets/{budget_id}",
    summary: "Change a budget",
    description:
      "A limit below what is spent refuses the next call. In another period, what was charged to the budget in it is counted anew.",
    role: "admin",
    scope: "budgets:write",
    idempotent: true,
    ifMatch: true,
    body: budgetChange,
    reply: { 200: budget },
    refuses: ["conflict"],
  },
  (call) => call.org.command("changeBudget", { id: call.params.budget_id, ...call.body }),
);
