import * as z from "zod";
import { EVENT_KINDS } from "../../contract/event-kinds.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { event } from "../../contract/resources/events.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["created_at"], filters: { type: z.enum(EVENT_KINDS) }, range: true } as const;

export const listEvents = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/events",
    summary: "List events",
    description:
      "The same events that webhooks receive. With `sort=created_at` they are in the order they happened.",
    role: "viewer",
    scope: "webhooks:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(event) },
    refuses: [],
  },
  (call) => call.org.query("listEvents", toListQuery(LIST, call.query)),
);
