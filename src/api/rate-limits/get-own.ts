import { isRefusal } from "../../contract/refusal.ts";
import { operation, reply } from "../../edge/operation.ts";
import { ownRateLimits } from "../../contract/resources/rate-limits.ts";

export const getOwnRateLimits = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/rate-limits",
    summary: "Read the rate limits of your organization",
    role: "viewer",
    scope: "limits:read",
    reply: { 200: ownRateLimits },
    refuses: [],
  },
  async (call) => {
    const found = await call.org.query("getRateLimits", {});
    if (isRefusal(found)) return found;
    const limits = found.body;
    const effective = limits.read_rpm ?? call.settings.SVC_READ_LIMIT_PER_MINUTE;
    return reply(200, { ...limits, effective_read_rpm: effective });
  },
);
