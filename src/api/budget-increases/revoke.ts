import { operation } from "../../edge/request/operation.ts";

export const revokeIncrease = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/budgets/{budget_id}/increases/{increase_id}",
    summary: "Revoke an increase of a budget",
    role: "admin",
    scope: "budgets:write",
    idempotent: true,
    ifMatch: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) =>
    call.org.command("revokeIncrease", { id: call.params.budget_id, increaseId: call.params.increase_id }),
);
