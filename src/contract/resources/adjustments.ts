import * as z from "zod";
import { idShape } from "../ids.ts";
import { pageOf } from "../list.ts";
import { timestamp, usd, usdProblem } from "../shapes.ts";

/** An amount that may be negative. */
const signedUsdInput = z
  .string()
  .meta({
    description: "Dollars as a decimal string, with at most 9 decimal places. Negative: given back.",
    examples: ["-1.25"],
  })
  .superRefine((text, context) => {
    const digits = text.startsWith("-") ? text.slice(1) : text;
    const isNone = /^[0.]*$/.test(digits) && digits !== "";
    const problem =
      usdProblem(digits) ?? (isNone ? { code: "out_of_range", message: "must not be zero" } : null);
    if (problem !== null)
      context.addIssue({ code: "custom", message: problem.message, params: { code: problem.code } });
  });

const signedUsd = usd.meta({ description: "Dollars as a decimal string. Negative: given back." });

export const adjustment = z
  .object({
    id: idShape("adj"),
    run_id: z.string(),
    amount_usd: signedUsd,
    reason: z.string(),
    net_cost_usd: usd.meta({ description: "The run's cost with this adjustment and those before it." }),
    charges: z
      .array(
        z.object({
          kind: z.string(),
          id: z.string(),
          amount_usd: signedUsd,
          over_usd: signedUsd.optional().meta({ description: "The part of it beyond the limit." }),
        }),
      )
      .meta({ description: "What each limit was charged or given back, in the period of `created_at`." }),
    uncovered_usd: signedUsd
      .nullable()
      .meta({ description: "What the customer's credits could not cover, or less of that." }),
    created_at: timestamp,
  })
  .meta({ id: "Adjustment" });
export type Adjustment = z.output<typeof adjustment>;

export const adjustmentPage = pageOf(adjustment);

const MOST_REASON_CHARACTERS = 500;

export const newAdjustment = z.strictObject({
  amount_usd: signedUsdInput,
  reason: z.string().min(1).max(MOST_REASON_CHARACTERS),
});
export type NewAdjustment = z.output<typeof newAdjustment>;
