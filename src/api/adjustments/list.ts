import { listQuery, toListQuery } from "../../contract/list.ts";
import { adjustmentPage } from "../../contract/resources/adjustments.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = { sort: ["created_at"] } as const;

export const listAdjustments = operation(
  {
    method: "GET",
    path: "/v1/runs/{run_id}/adjustments",
    summary: "List the adjustments of a run",
    role: "viewer",
    scope: "runs:read",
    freeParams: ["run_id"],
    query: listQuery(LIST),
    reply: { 200: adjustmentPage },
    refuses: [],
  },
  (call) =>
    call.org.query("listAdjustments", { runId: call.params.run_id, list: toListQuery(LIST, call.query) }),
);
