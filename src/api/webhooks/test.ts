import { isRefusal } from "../../contract/refusal.ts";
import { delivery } from "../../contract/resources/webhooks.ts";
import { bodyOf } from "../../edge/object/org-door.ts";
import { operation } from "../../edge/request/operation.ts";

/** How long a person waits for the answer of the receiver. Most answer within the first of these waits. */
const WAITS_MS = [100, 200, 400, 800, 1600, 3000];

export const testWebhook = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/test",
    summary: "Send a test.ping event to a webhook",
    description:
      "The event is queued behind pending deliveries and is sent to this webhook only. For formats of products, the response waits a few seconds for the receiver's answer.",
    role: "admin",
    scope: "webhooks:write",
    reply: { 200: delivery },
    refuses: ["conflict"],
  },
  async (call) => {
    const webhookId = call.params.sub_id;
    const webhook = await call.org.query("getWebhook", { webhookId });
    if (isRefusal(webhook)) return webhook;
    const queued = await call.org.command("pingWebhook", { webhookId });
    if (isRefusal(queued) || webhook.body.format === "sluice") return queued;
    const { id } = bodyOf(queued);
    for (const wait of WAITS_MS) {
      await scheduler.wait(wait);
      const now = await call.org.query("getDelivery", { webhookId, deliveryId: id });
      if (!isRefusal(now) && now.body.attempts > 0) return now;
    }
    return queued;
  },
);
