import { z } from "zod";
import { idShape } from "../ids.ts";
import { timestamp, usd } from "../shapes.ts";

export const APPROVAL_STATUSES = ["pending", "approved", "used", "denied", "expired"] as const;

export const approval = z
  .object({
    id: idShape("apr"),
    rule_id: z.string(),
    status: z.enum(APPROVAL_STATUSES),
    reason: z.string(),
    attempted: z.string(),
    attempt: z.object({
      model: z.string(),
      action: z.string().nullable(),
      customer_id: z.string().nullable(),
      cost_usd: usd,
      input_tokens: z.int(),
      output_tokens: z.int(),
    }),
    requested_by: z.string(),
    requested_at: timestamp,
    expires_at: timestamp,
    decided_by: z.string().nullable(),
    decided_at: timestamp.nullable(),
    used_at: timestamp.nullable(),
  })
  .meta({ id: "Approval" });
export type ApprovalResource = z.output<typeof approval>;
