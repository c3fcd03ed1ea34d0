import { z } from "zod";
import { routingPolicy, routingPolicyFields } from "../../contract/resources/routing.ts";
import { operation } from "../../edge/operation.ts";

export const setRoutingPolicy = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/routing-policy",
    summary: "Set which models calls may be routed to, and what they must have proven",
    role: "admin",
    scope: "routing:write",
    ifMatch: true,
    body: z.strictObject({
      ...routingPolicyFields,
      candidates: routingPolicyFields.candidates.refine((models) => new Set(models).size === models.length, {
        message: "must not name a model twice",
        params: { code: "duplicate" },
      }),
    }),
    reply: { 200: routingPolicy },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setRoutingPolicy", call.body),
);
