import { z } from "zod";
import { idShape } from "../../contract/ids.ts";
import { listQuery, pageOf, toListQuery } from "../../contract/list.ts";
import { timestamp } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";

const outcome = z.enum(["done", "refused", "read"]);
const text = z.string().min(1).max(200);

const entry = z
  .object({
    id: idShape("aud"),
    seq: z.int(),
    created_at: timestamp,
    action: z.string(),
    actor: z.object({ kind: z.string(), id: z.string(), on_behalf_of: z.string().nullable() }),
    target: z.string().nullable(),
    outcome,
    trace_id: z.string(),
    address: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
    prev_hash: z.string(),
    hash: z.string().meta({ description: "SHA-256 over this entry and the hash of the one before." }),
  })
  .meta({ id: "AuditEntry" });

const LIST = {
  sort: ["created_at"],
  filters: { action: text, actor_id: text, target: text, outcome, trace_id: text },
  range: true,
} as const;

export const listAuditLog = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/audit-log",
    summary: "List the audit trail",
    description:
      "Every write, every refusal by policy, safety or support scope, and every read of the trail itself.",
    role: "viewer",
    scope: "audit:read",
    query: listQuery(LIST),
    reply: { 200: pageOf(entry) },
    refuses: [],
  },
  (call) => call.org.command("listAudit", toListQuery(LIST, call.query)),
);
