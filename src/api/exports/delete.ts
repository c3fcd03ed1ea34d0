import { operation } from "../../edge/request/operation.ts";

export const deleteExport = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/exports/{name}",
    summary: "Delete a scheduled export",
    description: "What it has written stays.",
    role: "admin",
    scope: "org:write",
    ifMatch: true,
    dryRun: true,
    freeParams: ["name"],
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteExport", { name: call.params.name }),
);
