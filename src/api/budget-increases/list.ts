import { pageOf } from "../../contract/list.ts";
import { budgetIncrease } from "../../contract/resources/budgets/budgets.ts";
import { operation } from "../../edge/request/operation.ts";

export const listIncreases = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/budgets/{budget_id}/increases",
    summary: "List the increases of a budget",
    description:
      "Newest first: those in force, and the last ones that ended. All of them are in the audit log.",
    role: "viewer",
    scope: "budgets:read",
    reply: { 200: pageOf(budgetIncrease) },
    refuses: [],
  },
  (call) => call.org.query("listIncreases", { id: call.params.budget_id }),
);
