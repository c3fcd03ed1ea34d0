import { z } from "zod";
import { usdInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import { quota } from "../../contract/resources/quota.ts";

export const setQuota = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/quota",
    summary: "Make an organization prepaid",
    role: "operator",
    scope: "quota:write",
    ifMatch: true,
    body: z.strictObject({ low_balance_usd: usdInput.optional() }),
    reply: { 200: quota },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setQuota", call.body),
);
