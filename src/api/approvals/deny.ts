import { approval } from "../../contract/resources/approvals.ts";
import { noFields } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";

export const denyAttempt = operation(
  {
    method: "POST",
    path: "/v1/orgs/{id}/approvals/{approval_id}/deny",
    summary: "Deny a pending attempt",
    role: "admin",
    scope: "approvals:write",
    idempotent: true,
    ifMatch: true,
    body: noFields,
    reply: { 200: approval },
    refuses: ["conflict"],
  },
  (call) => call.org.command("deny", { approvalId: call.params.approval_id }),
);
