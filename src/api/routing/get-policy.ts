import { routingPolicy } from "../../contract/resources/routing.ts";
import { operation } from "../../edge/request/operation.ts";

export const getRoutingPolicy = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/routing-policy",
    summary: "Read the routing policy",
    role: "viewer",
    scope: "routing:read",
    reply: { 200: routingPolicy },
    refuses: [],
  },
  (call) => call.org.query("getRoutingPolicy", {}),
);
