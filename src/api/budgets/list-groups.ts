import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { budgetGroup } from "../../contract/resources/budgets/budgets.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["group"], ascending: true } as const;

export const listBudgetGroups = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/budgets/{budget_id}/groups",
    summary: "List the counters of a budget with group_by",
    description: "The values that have spent or reserved something in the current period, sorted by value.",
    role: "viewer",
    scope: "budgets:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(budgetGroup) },
    refuses: [],
  },
  (call) =>
    call.org.query("listBudgetGroups", { id: call.params.budget_id, list: toListQuery(LIST, call.query) }),
);
