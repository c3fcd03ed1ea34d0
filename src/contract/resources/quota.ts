import * as z from "zod";
import { optionalOrNull, usd, usdInput } from "../shapes.ts";
import { alertThresholds, shownThresholds } from "./budgets/alert-thresholds.ts";

export const quota = z
  .object({
    balance_usd: usd,
    reserved_usd: usd,
    available_usd: usd,
    overdrawn_usd: usd.meta({ description: "What runs that had already happened spent beyond the balance." }),
    low_balance_usd: usd
      .nullable()
      .meta({ description: "When the balance falls below this, `quota.low` is sent." }),
    alert_thresholds: shownThresholds.meta({ description: "Shares of all that was topped up." }),
  })
  .meta({ id: "Quota" });
export type Quota = z.output<typeof quota>;

export const newQuota = z.strictObject({
  low_balance_usd: optionalOrNull(usdInput).meta({
    description: "When the balance falls below this, `quota.low` is sent. Null: never.",
  }),
  alert_thresholds: alertThresholds.optional(),
});
export type NewQuota = z.output<typeof newQuota>;

const amount = usdInput.refine((text) => Number(text) !== 0, {
  message: "must be more than 0",
  params: { code: "out_of_range" },
});

export const topUp = z.strictObject({ amount_usd: amount });
export type TopUp = z.output<typeof topUp>;
