import { operation } from "../../edge/request/operation.ts";
import { rateLimits } from "../../contract/resources/rate-limits.ts";

export const getRateLimits = operation(
  {
    method: "GET",
    path: "/v1/admin/orgs/{org_id}/rate-limits",
    summary: "Read an organization's rate limits",
    role: "operator",
    reply: { 200: rateLimits },
    refuses: [],
  },
  (call) => call.org.query("getRateLimits", {}),
);
