import { operation } from "../../edge/request/operation.ts";
import { budget } from "../../contract/resources/budgets/budgets.ts";

export const getBudget = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/budgets/{budget_id}",
    summary: "Read a budget",
    role: "viewer",
    scope: "budgets:read",
    reply: { 200: budget },
    refuses: [],
  },
  (call) => call.org.query("getBudget", { id: call.params.budget_id }),
);
