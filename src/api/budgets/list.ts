import * as z from "zod";
import { callerId } from "../../contract/ids.ts";
import { listQuery, pageOf, searchFilter, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";
import { BUDGET_MODES, budget, budgetScopeKind, period } from "../../contract/resources/budgets/budgets.ts";

const LIST = {
  sort: ["created_at"],
  filters: {
    scope_kind: budgetScopeKind,
    scope_id: callerId,
    period,
    mode: z.enum(BUDGET_MODES),
    contains: searchFilter("the name or, if a budget has none, of what it applies to", "triage"),
  },
} as const;

export const listBudgets = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/budgets",
    summary: "List budgets",
    role: "viewer",
    scope: "budgets:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(budget) },
    refuses: [],
  },
  (call) => call.org.query("listBudgets", toListQuery(LIST, call.query)),
);
