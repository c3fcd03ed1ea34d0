import { operation } from "../../edge/request/operation.ts";
import { newRetentionPolicy, retentionPolicy } from "../../contract/resources/retention-policy.ts";

export const setRetentionPolicy = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/retention-policy",
    summary: "Set how long records are kept",
    description:
      "Older records are deleted in steps. Totals and balances are kept. If `legal_hold` is omitted, it does not change.",
    role: "admin",
    scope: "retention:write",
    ifMatch: true,
    dryRun: true,
    body: newRetentionPolicy,
    reply: { 200: retentionPolicy },
    refuses: ["conflict"],
  },
  (call) =>
    call.org.command("setRetentionPolicy", {
      runsDays: call.body.runs_days,
      auditDays: call.body.audit_days,
      deliveriesDays: call.body.deliveries_days,
      legalHold: call.body.legal_hold,
    }),
);
