import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { session } from "../../contract/resources/sessions.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["created_at"] } as const;

export const listSessions = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/sessions",
    summary: "List who is signed in to the console",
    role: "owner",
    scope: "org:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(session) },
    refuses: [],
  },
  (call) => call.org.query("listSessions", toListQuery(LIST, call.query)),
);
