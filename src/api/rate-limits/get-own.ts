import { operation } from "../../edge/request/operation.ts";
import { ownRateLimits } from "../../contract/resources/rate-limits.ts";

export const getOwnRateLimits = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/rate-limits",
    summary: "Read the rate limits of your organization, and how much of each is used",
    role: "viewer",
    scope: "limits:read",
    reply: { 200: ownRateLimits },
    refuses: [],
  },
  (call) => call.org.query("rateLimitsInUse", {}),
);
