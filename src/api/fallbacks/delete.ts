import { operation } from "../../edge/request/operation.ts";

export const deleteFallback = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/fallbacks/{name}",
    summary: "Delete a fallback",
    description: "Proxies and gates that know it may act by it for a few seconds more.",
    role: "admin",
    scope: "routing:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    freeParams: ["name"],
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteFallback", { name: call.params.name }),
);
