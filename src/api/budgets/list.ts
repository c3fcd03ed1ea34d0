import * as z from "zod";
import { callerId } from "../../contract/ids.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";
import { BUDGET_MODES, budget, budgetScopeKind, period } from "../../contract/resources/budgets/budgets.ts";

const part = z
  .string()
  .min(1)
  .max(128)
  .meta({
    description: "A part of a name, in upper or lower case, or of what a budget without a name applies to.",
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
      "With `contains`, only budgets that have this text in their name: first those of which it is the whole, then those of which it is the beginning, and no further pages.",
    role: "viewer",
    scope: "budgets:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(budget) },
    refuses: [],
  },
  (call) => call.org.query("listBudgets", toListQuery(LIST, call.query)),
);
