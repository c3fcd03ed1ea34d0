import { operation } from "../../edge/request/operation.ts";

export const deleteModel = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/models/{model}",
    summary: "Remove a model's price",
    role: "admin",
    scope: "limits:write",
    ifMatch: true,
    dryRun: true,
    freeParams: ["model"],
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteModel", { model: call.params.model }),
);
