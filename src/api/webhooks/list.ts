import * as z from "zod";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { webhook } from "../../contract/resources/webhooks.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = {
  sort: ["created_at", "url"],
  filters: { status: z.enum(["enabled", "disabled"]) },
} as const;

export const listWebhooks = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/webhooks",
    summary: "List webhooks",
    role: "viewer",
    scope: "webhooks:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(webhook) },
    refuses: [],
  },
  (call) => call.org.query("listWebhooks", toListQuery(LIST, call.query)),
);
