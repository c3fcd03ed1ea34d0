import { listQuery, pageOf, searchFilter, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";
import { model } from "../../contract/resources/models.ts";

const LIST = {
  sort: ["created_at", "model"],
  filters: { contains: searchFilter("the name", "mini") },
} as const;

export const listModels = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/models",
    summary: "List the price book",
    role: "viewer",
    scope: "limits:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(model) },
    refuses: [],
  },
  (call) => call.org.query("listModels", toListQuery(LIST, call.query)),
);
