import { z } from "zod";
import { usdInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import { period } from "../../contract/resources/budgets.ts";
import { customerLimit } from "../../contract/resources/customer-limits.ts";

export const changeCustomerLimit = operation(
  {
    method: "PATCH",
    path: "/v1/orgs/{id}/customer-limits/{limit_id}",
    summary: "Change a customer limit",
    role: "admin",
    scope: "customers:write",
    idempotent: true,
    ifMatch: true,
    body: z.strictObject({ limit_usd: usdInput.optional(), period: period.optional() }),
    reply: { 200: customerLimit },
    refuses: ["conflict"],
  },
  (call) => call.org.command("changeCustomerLimit", { id: call.params.limit_id, ...call.body }),
);
