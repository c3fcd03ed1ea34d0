import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { supportGrant } from "../../contract/resources/support.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["created_at", "expires_at"] } as const;

export const listSupportGrants = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/support-grants",
    summary: "List support grants",
    role: "owner",
    scope: "support:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(supportGrant) },
    refuses: [],
  },
  (call) => call.org.query("listSupportGrants", toListQuery(LIST, call.query)),
);
