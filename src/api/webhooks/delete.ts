import { operation } from "../../edge/request/operation.ts";

export const deleteWebhook = operation(
  {
    method: "DELETE",
    path: "/v1/orgs/{id}/webhooks/{sub_id}",
    summary: "Delete a webhook, its secrets and its delivery log",
    role: "admin",
    scope: "webhooks:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    reply: { 204: null },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deleteWebhook", { webhookId: call.params.sub_id }),
);
