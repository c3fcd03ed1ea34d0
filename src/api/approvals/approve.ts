import { approval, approvalDecision } from "../../contract/resources/approvals.ts";
import { operation } from "../../edge/request/operation.ts";

export const approveAttempt = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/approvals/{approval_id}/approve",
    summary: "Approve a pending attempt, so that the same attempt is allowed once",
    role: "admin",
    scope: "approvals:write",
    idempotent: true,
    ifMatch: true,
    body: approvalDecision,
    reply: { 200: approval },
    refuses: ["conflict"],
  },
  (call) => call.org.command("approve", { approvalId: call.params.approval_id, ...call.body }),
);
