import { withRule } from "../../contract/field-rules.ts";
import { budget, newBudget } from "../../contract/resources/budgets/budgets.ts";
import { operation } from "../../edge/request/operation.ts";
import { checkTimeZone } from "./time-zone.ts";

export const createBudget = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/budgets",
    summary: "Create a budget",
    role: "admin",
    scope: "budgets:write",
    idempotent: true,
    dryRun: true,
    description:
      'A budget applies to a scope (`scope_kind`, `scope_id`) or to the calls that `match`. With `group_by`, each value has its own counter under one budget. At most 64 budgets can apply to one call. It counts from its creation, or with `count_from: "period_start"` also what was spent earlier in the current period.',
    body: withRule(newBudget, checkTimeZone),
    reply: { 201: budget },
    refuses: [],
  },
  (call) => call.org.command("createBudget", call.body),
);
