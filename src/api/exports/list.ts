import { listQuery, toListQuery } from "../../contract/list.ts";
import { scheduledExportPage } from "../../contract/resources/exports.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["name", "created_at"], ascending: true } as const;

export const listExports = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/exports",
    summary: "List scheduled exports",
    role: "admin",
    scope: "org:read",
    query: listQuery(LIST),
    reply: { 200: scheduledExportPage },
    refuses: [],
  },
  (call) => call.org.query("listExports", toListQuery(LIST, call.query)),
);
