import { z } from "zod";
import { callerId } from "../../contract/ids.ts";
import { usdInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import { period } from "../../contract/resources/budgets.ts";
import { customerLimit } from "../../contract/resources/customer-limits.ts";

export const createCustomerLimit = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/customer-limits",
    summary: "Limit what a customer may spend",
    role: "admin",
    scope: "customers:write",
    idempotent: true,
    body: z.strictObject({ customer_id: callerId, limit_usd: usdInput, period }),
    reply: { 201: customerLimit },
    refuses: ["conflict"],
  },
  (call) => call.org.command("createCustomerLimit", call.body),
);
