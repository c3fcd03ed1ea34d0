import { listQuery, toListQuery } from "../../contract/list.ts";
import { digestPage } from "../../contract/resources/digests.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["name", "created_at"], ascending: true } as const;

export const listDigests = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/digests",
    summary: "List digests",
    role: "viewer",
    scope: "webhooks:read",
    query: listQuery(LIST),
    reply: { 200: digestPage },
    refuses: [],
  },
  (call) => call.org.query("listDigests", toListQuery(LIST, call.query)),
);
