import { operation } from "../../edge/request/operation.ts";
import { customerLimit } from "../../contract/resources/customer-limits.ts";

export const getCustomerLimit = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/customer-limits/{limit_id}",
    summary: "Read a customer limit",
    role: "viewer",
    scope: "customers:read",
    reply: { 200: customerLimit },
    refuses: [],
  },
  (call) => call.org.query("getCustomerLimit", { id: call.params.limit_id }),
);
