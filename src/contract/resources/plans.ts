import * as z from "zod";
import { alertThresholds, shownThresholds } from "./budgets/alert-thresholds.ts";
import { timestamp } from "../shapes.ts";

/** The amounts that a plan includes in a calendar month. */
export const planTerms = z
  .object({
    plan: z.string(),
    runs_limit: z.int().nullable().meta({ description: "Runs per month. Null for unlimited." }),
    tokens_limit: z.int().nullable().meta({ description: "Tokens per month. Null for unlimited." }),
    overage_policy: z.enum(["block", "allow"]),
    alert_thresholds: shownThresholds.meta({ description: "Shares of each of the two limits." }),
  })
  .meta({ id: "Plan" });
export type PlanTerms = z.output<typeof planTerms>;

const limit = z.int().min(0).max(1_000_000_000_000_000).nullable();

export const planChange = z.strictObject({
  runs_limit: limit,
  tokens_limit: limit,
  overage_policy: z.enum(["block", "allow"]),
  alert_thresholds: alertThresholds.optional().meta({
    description:
      "Shares of the runs and of the tokens. Each sends `plan.threshold_crossed` once per month. If omitted, they stay as they are.",
  }),
});

export const planInUse = planTerms
  .extend({
    runs_used: z.int(),
    tokens_used: z.int(),
    period_start: timestamp,
    period_end: timestamp.nullable(),
  })
  .meta({ id: "PlanInUse" });
export type PlanInUse = z.output<typeof planInUse>;
