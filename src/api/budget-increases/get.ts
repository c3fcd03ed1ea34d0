import { budgetIncrease } from "../../contract/resources/budgets/budgets.ts";
import { operation } from "../../edge/request/operation.ts";

export const getIncrease = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/budgets/{budget_id}/increases/{increase_id}",
    summary: "Read an increase of a budget",
    role: "viewer",
    scope: "budgets:read",
    reply: { 200: budgetIncrease },
    refuses: [],
  },
  (call) => call.org.query("getIncrease", { id: call.params.budget_id, increaseId: call.params.increase_id }),
);
