import { newRoutingPolicy, routingPolicy } from "../../contract/resources/routing.ts";
import { operation } from "../../edge/request/operation.ts";

export const setRoutingPolicy = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/routing-policy",
    summary: "Set which models calls can be routed to, and the evals they must pass",
    role: "admin",
    scope: "routing:write",
    ifMatch: true,
    dryRun: true,
    body: newRoutingPolicy,
    reply: { 200: routingPolicy },
    refuses: ["conflict"],
  },
  (call) => call.org.command("setRoutingPolicy", call.body),
);
