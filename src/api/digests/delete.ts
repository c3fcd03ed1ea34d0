import { operation } from "../../edge/request/operation.ts";

export const deleteDigest = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/digests/{name}",
    summary: "Delete a digest",
    role: "admin",
    scope: "webhooks:write",
    ifMatch: true,
    dryRun: true,
    freeParams: ["name"],
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteDigest", { name: call.params.name }),
);
