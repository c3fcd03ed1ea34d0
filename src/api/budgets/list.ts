import * as z from "zod";
import { callerId } from "../../contract/ids.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { searchText } from "../../contract/shapes.ts";
import { operation } from "../../edge/request/operation.ts";
import { BUDGET_MODES, budget, budgetScopeKind, period } from "../../contract/resources/budgets/budgets.ts";

const part = searchText.meta({
  description: "Part of the name in upper or lower case or, if a budget has no name, of what it applies to.",
  examples: ["triage"],
});

const LIST = {
  sort: ["created_at"],
  filters: {
    scope_kind: budgetScopeKind,
    scope_id: callerId,
    period,
    mode: z.enum(BUDGET_MODES),
    contains: part,
  },
} as const;

export const listBudgets = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/budgets",
    summary: "List budgets",
    description:
      "With `contains`, only budgets whose name contains this text: exact matches first, then names that begin with it, in one page.",
    role: "viewer",
    scope: "budgets:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(budget) },
    refuses: [],
  },
  (call) => call.org.query("listBudgets", toListQuery(LIST, call.query)),
);
