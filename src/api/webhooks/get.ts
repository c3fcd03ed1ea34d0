import { webhook } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/request/operation.ts";

export const getWebhook = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/webhooks/{sub_id}",
    summary: "Read a webhook",
    role: "viewer",
    scope: "webhooks:read",
    reply: { 200: webhook },
    refuses: [],
  },
  (call) => call.org.query("getWebhook", { webhookId: call.params.sub_id }),
);
