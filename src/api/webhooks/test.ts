import { delivery } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/operation.ts";

export const testWebhook = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/test",
    summary: "Send a webhook a test.ping",
    description: "It takes its turn behind what already waits, and goes to this webhook alone.",
    role: "admin",
    scope: "webhooks:write",
    reply: { 200: delivery },
    refuses: ["conflict"],
  },
  (call) => call.org.command("pingWebhook", { webhookId: call.params.sub_id }),
);
