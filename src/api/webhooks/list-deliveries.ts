import * as z from "zod";
import { EVENT_KINDS } from "../../contract/event-kinds.ts";
import { idShape } from "../../contract/ids.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { delivery } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = {
  sort: ["created_at"],
  filters: {
    status: z.enum(["pending", "succeeded", "failed"]),
    event_type: z.enum(EVENT_KINDS),
    event_id: idShape("evt"),
  },
} as const;

export const listDeliveries = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/webhooks/{sub_id}/deliveries",
    summary: "List a webhook's deliveries",
    role: "viewer",
    scope: "webhooks:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(delivery) },
    refuses: [],
  },
  (call) =>
    call.org.query("listDeliveries", {
      webhookId: call.params.sub_id,
      list: toListQuery(LIST, call.query),
    }),
);
