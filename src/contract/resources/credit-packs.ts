import { z } from "zod";
import { idShape } from "../ids.ts";
import { timestamp, usd } from "../shapes.ts";

export const creditPack = z
  .object({
    id: idShape("pack"),
    customer_id: z.string(),
    amount_usd: usd,
    spent_usd: usd,
    remaining_usd: usd,
    priority: z.int(),
    effective_at: timestamp,
    expires_at: timestamp.nullable(),
    voided_at: timestamp.nullable(),
    status: z.enum(["live", "scheduled", "expired", "voided"]),
    created_at: timestamp,
  })
  .meta({ id: "CreditPack" });
