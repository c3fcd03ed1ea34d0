import { delivery } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/operation.ts";

export const testWebhook = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/test",
    summary: "Send a test.ping event to a webhook",
    description: "The event is queued behind pending deliveries and is sent to this webhook only.",
    role: "admin",
    scope: "webhooks:write",
    reply: { 200: delivery },
    refuses: ["conflict"],
  },
  (call) => call.org.command("pingWebhook", { webhookId: call.params.sub_id }),
);
