import { operation } from "../../edge/request/operation.ts";

export const deleteBudget = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/budgets/{budget_id}",
    summary: "Delete a budget",
    role: "admin",
    scope: "budgets:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteBudget", { id: call.params.budget_id }),
);
