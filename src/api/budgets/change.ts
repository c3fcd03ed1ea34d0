import { withRule } from "../../contract/field-rules.ts";
import { budget, budgetChange } from "../../contract/resources/budgets/budgets.ts";
import { operation } from "../../edge/request/operation.ts";
import { checkTimeZone } from "./time-zone.ts";

export const changeBudget = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}/budgets/{budget_id}",
    summary: "Change a budget",
    description:
      "If the limit is below what is already spent, the next call is refused. If the period, its time zone or its first day changes, or from when it counts, spending in the period is counted again from the runs. If that passes the limit, the next call is refused.",
    role: "admin",
    scope: "budgets:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    body: withRule(budgetChange, checkTimeZone),
    reply: { 200: budget },
    refuses: ["conflict"],
  },
  (call) => call.org.command("changeBudget", { id: call.params.budget_id, ...call.body }),
);
