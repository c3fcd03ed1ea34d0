import { fallback } from "../../contract/resources/fallbacks.ts";
import { operation } from "../../edge/request/operation.ts";

export const getFallback = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/fallbacks/{name}",
    summary: "Read a fallback",
    role: "viewer",
    scope: "routing:read",
    freeParams: ["name"],
    reply: { 200: fallback },
    refuses: [],
  },
  (call) => call.org.query("getFallback", { name: call.params.name }),
);
