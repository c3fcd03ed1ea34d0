import { operation } from "../../edge/request/operation.ts";
import { customerLimit, newCustomerLimit } from "../../contract/resources/customer-limits.ts";

export const createCustomerLimit = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/customer-limits",
    summary: "Limit what a customer may spend",
    role: "admin",
    scope: "customers:write",
    idempotent: true,
    dryRun: true,
    body: newCustomerLimit,
    reply: { 201: customerLimit },
    refuses: ["conflict"],
  },
  (call) => call.org.command("createCustomerLimit", call.body),
);
