import * as z from "zod";
import { timestamp } from "../shapes.ts";
import { idShape } from "../ids.ts";
const outcome = z.enum(["done", "refused", "read"]);

export const auditEntry = z
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
    hash: z.string().meta({ description: "SHA-256 over this entry and the hash of the previous entry." }),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.output<typeof auditEntry>;

const chainBreak = z.object({
  kind: z.enum(["changed", "moved", "dropped", "appended"]),
  seq: z.int(),
  entry_id: z.string().nullable(),
  message: z.string(),
});

export const auditVerification = z
  .object({
    valid: z.boolean(),
    checked: z.int().meta({ description: "How many entries were checked." }),
    last_seq: z.int(),
    last_hash: z.string().meta({ description: "Store it elsewhere. A later export must still contain it." }),
    breaks: z.array(chainBreak),
    verified_at: timestamp,
  })
  .meta({ id: "AuditVerification" });
export type AuditVerification = z.output<typeof auditVerification>;
