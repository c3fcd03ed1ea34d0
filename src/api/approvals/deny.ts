import { approval, approvalDecision } from "../../contract/resources/approvals.ts";
import { operation } from "../../edge/request/operation.ts";

export const denyAttempt = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/approvals/{approval_id}/deny",
    summary: "Deny a pending attempt",
    role: "admin",
    scope: "approvals:write",
    idempotent: true,
    ifMatch: true,
    body: approvalDecision,
    reply: { 200: approval },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deny", { approvalId: call.params.approval_id, ...call.body }),
);
