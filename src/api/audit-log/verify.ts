import { auditVerification } from "../../contract/resources/audit-log.ts";
import { isRefusal } from "../../contract/refusal.ts";
import { operation } from "../../edge/request/operation.ts";
import type { Verification } from "../../org/audit-log/verify.ts";

export const verifyAuditLog = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/audit-log/verify",
    summary: "Verify the hash chain of the audit trail",
    role: "viewer",
    scope: "audit:read",
    reply: { 200: auditVerification },
    refuses: [],
  },
  async (call) => {
    let walk: Verification["walk"] | null = null;
    for (;;) {
      const step = await call.org.query("verifyAuditStep", { walk });
      if (isRefusal(step)) return step;
      const found: Verification = step.body;
      if (found.breaks !== null) {
        return call.org.command("recordVerification", { walk: found.walk, breaks: found.breaks });
      }
      walk = found.walk;
    }
  },
);
