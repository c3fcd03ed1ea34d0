import { operation } from "../../edge/request/operation.ts";

export const deleteCustomerLimit = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/customer-limits/{limit_id}",
    summary: "Delete a customer limit",
    role: "admin",
    scope: "customers:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteCustomerLimit", { id: call.params.limit_id }),
);
