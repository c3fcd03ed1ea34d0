import { delivery } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/operation.ts";

export const replayDelivery = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/deliveries/{delivery_id}/replay",
    summary: "Deliver again",
    description:
      "A delivery that has ended is made again, as a new one of the same event. One that still waits is not made twice: " +
      "its queue is tried now.",
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
