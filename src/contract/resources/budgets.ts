import { z } from "zod";
import { idShape } from "../ids.ts";
import { name, timestamp, usd, usdProblem } from "../shapes.ts";
import { PERIODS } from "../lists.ts";

export const BUDGET_SCOPES = ["org", "workflow", "deployment", "department"] as const;
export const BUDGET_MODES = ["enforce", "shadow"] as const;
export const period = z.enum(PERIODS);

/** Shares of a limit; facts may bring spending past the whole of it, so more than one may be asked for. */
export const alertThresholds = z
  .array(
    z.string().refine((text) => isShare(text), {
      message: "must be a share of the limit above 0 and at most 10, such as 0.8",
      params: { code: "out_of_range" },
    }),
  )
  .max(10)
  .meta({ description: "Each is announced once per period.", examples: [["0.8", "1"]] });

function isShare(text: string): boolean {
  // Nine digits after the point are told apart as floats too.
  return usdProblem(text) === null && Number(text) > 0 && Number(text) <= 10;
}

export const budget = z
  .object({
    id: idShape("bud"),
    name: name.nullable(),
    scope_kind: z.enum(BUDGET_SCOPES),
    scope_id: z.string().nullable(),
    limit_usd: usd,
    period,
    mode: z.enum(BUDGET_MODES),
    alert_thresholds: z.array(z.string()),
    spent_usd: usd,
    reserved_usd: usd,
    available_usd: usd,
    period_start: timestamp,
    period_end: timestamp.nullable(),
    status: z.enum(["active", "exhausted"]),
    created_at: timestamp,
  })
  .meta({ id: "Budget" });
