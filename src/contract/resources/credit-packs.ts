import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { METERS } from "../meter-kinds.ts";
import { callerId, idShape } from "../ids.ts";
import { parseTimestamp, timestamp, timestampInput, usd, usdInput } from "../shapes.ts";
import { alertThresholds, shownThresholds } from "./budgets/alert-thresholds.ts";

export const creditPack = z
  .object({
    id: idShape(METERS.credit_pack.idPrefix),
    customer_id: z.string(),
    amount_usd: usd,
    spent_usd: usd,
    reserved_usd: usd.meta({ description: "Held by open reservations." }),
    remaining_usd: usd.meta({ description: "What is neither spent nor reserved." }),
    priority: z.int(),
    alert_thresholds: shownThresholds,
    effective_at: timestamp,
    expires_at: timestamp.nullable(),
    voided_at: timestamp.nullable(),
    status: z.enum(["live", "scheduled", "expired", "voided"]),
    created_at: timestamp,
  })
  .meta({ id: "CreditPack" });
export type CreditPack = z.output<typeof creditPack>;

export const newCreditPack = withRule(
  z.strictObject({
    customer_id: callerId.refine((id) => id !== "*", {
      message: "must name a single customer",
      params: { code: "invalid_value" },
    }),
    amount_usd: usdInput,
    priority: z
      .int()
      .min(0)
      .max(1000)
      .default(100)
      .meta({ description: "Packs with a lower number are used first." }),
    alert_thresholds: alertThresholds.optional(),
    effective_at: timestampInput.optional(),
    expires_at: timestampInput.optional(),
  }),
  ({ effective_at: effectiveAt, expires_at: expiresAt }, { complain }) => {
    if (effectiveAt === undefined || expiresAt === undefined) return;
    if ((parseTimestamp(expiresAt) ?? 0) > (parseTimestamp(effectiveAt) ?? 0)) return;
    complain(["expires_at"], "out_of_range", "must be after effective_at");
  },
);
export type NewCreditPack = z.output<typeof newCreditPack>;
