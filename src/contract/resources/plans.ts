import { z } from "zod";

/** What a plan entitles to in a calendar month. */
export const planTerms = z
  .object({
    plan: z.string(),
    runs_limit: z.int().nullable().meta({ description: "Runs a month; null is unlimited." }),
    tokens_limit: z.int().nullable().meta({ description: "Tokens a month; null is unlimited." }),
    overage_policy: z.enum(["block", "allow"]),
  })
  .meta({ id: "Plan" });
export type PlanTerms = z.output<typeof planTerms>;
