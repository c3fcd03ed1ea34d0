import { listQuery, toListQuery } from "../../contract/list.ts";
import { fallbackPage } from "../../contract/resources/fallbacks.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["name", "created_at"], ascending: true } as const;

export const listFallbacks = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/fallbacks",
    summary: "List fallbacks",
    role: "viewer",
    scope: "routing:read",
    query: listQuery(LIST),
    reply: { 200: fallbackPage },
    refuses: [],
  },
  (call) => call.org.query("listFallbacks", toListQuery(LIST, call.query)),
);
