import * as z from "zod";
import { callerId } from "../../contract/ids.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { approval, APPROVAL_STATUSES } from "../../contract/resources/approvals.ts";
import { operation } from "../../edge/request/operation.ts";

const LIST = {
  sort: ["requested_at"],
  filters: { status: z.enum(APPROVAL_STATUSES), rule_id: callerId },
} as const;

export const listApprovals = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/approvals",
    summary: "List approvals",
    role: "viewer",
    scope: "approvals:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(approval) },
    refuses: [],
  },
  (call) => call.org.query("listApprovals", toListQuery(LIST, call.query)),
);
