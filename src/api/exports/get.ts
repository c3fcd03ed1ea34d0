import { scheduledExport } from "../../contract/resources/exports.ts";
import { operation } from "../../edge/request/operation.ts";

export const getExport = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/exports/{name}",
    summary: "Read a scheduled export",
    role: "admin",
    scope: "org:read",
    freeParams: ["name"],
    reply: { 200: scheduledExport },
    refuses: [],
  },
  (call) => call.org.query("getExport", { name: call.params.name }),
);
