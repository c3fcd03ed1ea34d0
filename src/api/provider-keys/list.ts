import { listQuery, toListQuery } from "../../contract/list.ts";
import { providerKeyPage } from "../../contract/resources/provider-keys.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["provider", "created_at"], ascending: true } as const;

export const listProviderKeys = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/provider-keys",
    summary: "List keys of providers",
    role: "admin",
    scope: "provider-keys:read",
    query: listQuery(LIST),
    reply: { 200: providerKeyPage },
    refuses: [],
  },
  (call) => call.org.query("listProviderKeys", toListQuery(LIST, call.query)),
);
