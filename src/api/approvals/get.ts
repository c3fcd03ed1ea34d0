import { approval } from "../../contract/resources/approvals.ts";
import { operation } from "../../edge/request/operation.ts";

export const getApproval = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/approvals/{approval_id}",
    summary: "Read an approval",
    role: "viewer",
    scope: "approvals:read",
    reply: { 200: approval },
    refuses: [],
  },
  (call) => call.org.query("getApproval", { approvalId: call.params.approval_id }),
);
