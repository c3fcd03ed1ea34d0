import { delivery } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/request/operation.ts";

export const replayDelivery = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}/replay",
    summary: "Replay a delivery",
    description:
      "A finished delivery is sent again as a new delivery of the same event. A pending delivery is not duplicated: " +
      "it is attempted now.",
    role: "admin",
    scope: "webhooks:write",
    reply: { 200: delivery },
    refuses: ["conflict"],
  },
  (call) =>
    call.org.command("replayDelivery", {
      webhookId: call.params.sub_id,
      deliveryId: call.params.delivery_id,
    }),
);
