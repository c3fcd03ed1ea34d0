import { operation } from "../../edge/request/operation.ts";
import { newQuota, quota } from "../../contract/resources/quota.ts";

export const setQuota = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/quota",
    summary: "Make an organization prepaid",
    role: "operator",
    scope: "quota:write",
    ifMatch: true,
    body: newQuota,
    reply: { 200: quota },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setQuota", call.body),
);
