import * as z from "zod";
import { usd, usdInput } from "../shapes.ts";
import { alertThresholds, shownThresholds } from "./budgets/alert-thresholds.ts";

export const spendCap = z
  .object({
    cap_usd: usd,
    spent_usd: usd,
    reserved_usd: usd,
    available_usd: usd,
    alert_thresholds: shownThresholds,
    timezone: z.string().meta({ description: "IANA time zone of the cap's day." }),
    resets_at: z
      .string()
      .meta({ description: "The next midnight in that time zone, with a numeric offset." }),
  })
  .meta({ id: "SpendCap" });
export type SpendCap = z.output<typeof spendCap>;

export const newSpendCap = z.strictObject({
  cap_usd: usdInput,
  timezone: z.string().default("UTC"),
  alert_thresholds: alertThresholds.optional(),
});
export type NewSpendCap = z.output<typeof newSpendCap>;
