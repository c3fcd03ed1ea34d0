import { operation } from "../../edge/request/operation.ts";
import { quota } from "../../contract/resources/quota.ts";

export const getQuota = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/quota",
    summary: "Read the prepaid balance",
    description: "Returns 404 if the organization is not prepaid.",
    role: "viewer",
    scope: "quota:read",
    reply: { 200: quota },
    refuses: [],
  },
  (call) => call.org.query("getQuota", {}),
);
