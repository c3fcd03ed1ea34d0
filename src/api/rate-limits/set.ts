import { operation } from "../../edge/operation.ts";
import { rateLimits, rateLimitsInput } from "./shape.ts";

export const setRateLimits = operation(
  {
    method: "PUT",
    path: "/v1/admin/orgs/{org_id}/rate-limits",
    summary: "Set an organization's read limit and rate-limit policies, all at once",
    description:
      "A policy that changes only its limit goes on counting where it was. Policies that name a customer or count tokens apply to decisions, where a request says both.",
    role: "operator",
    ifMatch: true,
    body: rateLimitsInput,
    reply: { 200: rateLimits },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setRateLimits", call.body),
);
