import { operation } from "../../edge/request/operation.ts";
import { customerLimit, customerLimitChange } from "../../contract/resources/customer-limits.ts";

export const changeCustomerLimit = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}/customer-limits/{limit_id}",
    summary: "Change a customer limit",
    role: "admin",
    scope: "customers:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    body: customerLimitChange,
    reply: { 200: customerLimit },
    refuses: ["conflict"],
  },
  (call) => call.org.command("changeCustomerLimit", { id: call.params.limit_id, ...call.body }),
);
