import { deliveryRecovery, recoveredDeliveries } from "../../contract/resources/webhooks.ts";
import { parseTimestamp } from "../../contract/shapes.ts";
import { operation } from "../../edge/request/operation.ts";

export const recoverDeliveries = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/recover",
    summary: "Deliver what a webhook missed since a time",
    description:
      "Queues every event since then, and since the webhook exists, that it subscribes to and did not get: deliveries that failed, and events from while it was disabled. What arrived or is still queued is left alone. Up to 1,500 at once: call again with `next_since` until it is null.",
    role: "admin",
    scope: "webhooks:write",
    idempotent: true,
    body: deliveryRecovery,
    reply: { 200: recoveredDeliveries },
    refuses: ["conflict"],
  },
  (call) =>
    call.org.command("recoverDeliveries", {
      webhookId: call.params.sub_id,
      sinceMs: parseTimestamp(call.body.since) ?? 0,
    }),
);
