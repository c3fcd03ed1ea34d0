import { z } from "zod";
import { isRefusal } from "../../contract/refusal.ts";
import { timestamp } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import type { Verification } from "../../org/audit-log/verify.ts";

const chainBreak = z.object({
  kind: z.enum(["changed", "moved", "dropped", "appended"]),
  seq: z.int(),
  entry_id: z.string().nullable(),
  message: z.string(),
});

export const verifyAuditLog = operation(
  {
    method: "GET",
    path: "/v1/orgs/{id}/audit-log/verify",
    summary: "Walk the hash chain of the audit trail",
    role: "viewer",
    scope: "audit:read",
    reply: {
      200: z
        .object({
          valid: z.boolean(),
          checked: z.int().meta({ description: "Entries that were walked." }),
          last_seq: z.int(),
          last_hash: z.string().meta({ description: "Keep it elsewhere: a later trail must still hold it." }),
          breaks: z.array(chainBreak),
          verified_at: timestamp,
        })
        .meta({ id: "AuditVerification" }),
    },
    refuses: [],
  },
  async (call) => {
    let walk: Verification["walk"] | null = null;
    for (;;) {
      const step = await call.org.query("verifyAuditStep", { walk });
      if (isRefusal(step)) return step;
      const found = step.body as Verification;
      if (found.breaks !== null) {
        return call.org.command("recordVerification", { walk: found.walk, breaks: found.breaks });
      }
      walk = found.walk;
    }
  },
);
