import { listQuery, toListQuery } from "../../contract/list.ts";
import { exportWindowPage } from "../../contract/resources/exports.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["to"] } as const;

export const listExportWindows = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/exports/{name}/windows",
    summary: "List the windows of a scheduled export",
    description: "Those that are over, newest first: written, or still being written. Kept for 400 days.",
    role: "admin",
    scope: "org:read",
    query: listQuery(LIST),
    freeParams: ["name"],
    reply: { 200: exportWindowPage },
    refuses: [],
  },
  (call) =>
    call.org.query("listExportWindows", { name: call.params.name, list: toListQuery(LIST, call.query) }),
);
