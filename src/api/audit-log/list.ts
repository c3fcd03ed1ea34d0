import * as z from "zod";
import { auditEntry } from "../../contract/resources/audit-log.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { operation } from "../../edge/request/operation.ts";

const text = z.string().min(1).max(200);

const LIST = {
  sort: ["created_at"],
  filters: { action: text, actor_id: text, target: text, outcome: auditEntry.shape.outcome, trace_id: text },
  range: true,
} as const;

export const listAuditLog = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/audit-log",
    summary: "List the audit trail",
    description:
      "Contains every write, every refusal by policy, content safety or support scope, and every read of the trail itself.",
    role: "viewer",
    scope: "audit:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(auditEntry) },
    refuses: [],
  },
  (call) => call.org.command("listAudit", toListQuery(LIST, call.query)),
);
