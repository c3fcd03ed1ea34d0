import { operation } from "../../edge/request/operation.ts";
import { quota, topUp } from "../../contract/resources/quota.ts";

export const topUpQuota = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/quota/top-ups",
    summary: "Top up the prepaid balance",
    role: "operator",
    scope: "quota:write",
    idempotent: true,
    body: topUp,
    reply: { 201: quota },
    refuses: [],
  },
  (call) => call.org.command("topUpQuota", call.body),
);
