import { signing } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/request/operation.ts";

export const getSigning = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/signing",
    summary: "Read how a webhook's deliveries are signed",
    role: "viewer",
    scope: "webhooks:read",
    reply: { 200: signing },
    refuses: [],
  },
  (call) => call.org.query("getSigning", { webhookId: call.params.sub_id }),
);
