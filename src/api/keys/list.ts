import * as z from "zod";
import { KEY_ROLES } from "../../contract/access.ts";
import { listQuery, pageOf, searchFilter, toListQuery } from "../../contract/list.ts";
import { key } from "../../contract/resources/keys.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = {
  sort: ["created_at", "name"],
  filters: { role: z.enum(KEY_ROLES), contains: searchFilter("the name", "staging") },
} as const;

export const listKeys = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/keys",
    summary: "List API keys",
    role: "admin",
    scope: "keys:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(key) },
    refuses: [],
  },
  (call) => call.org.query("listKeys", toListQuery(LIST, call.query)),
);
