import * as z from "zod";
import { callerId, idShape } from "../ids.ts";
import { name, timestamp, usd, usdInput, usdProblem } from "../shapes.ts";
import { PERIODS } from "../lists.ts";
import { METERS } from "../meter-kinds.ts";
import { BUDGET_SCOPES } from "../scopes.ts";

export const BUDGET_MODES = ["enforce", "shadow"] as const;
export const period = z.enum(PERIODS);

/** Shares of a limit. They can be above 1, because facts can bring spending over the limit. */
const alertThresholds = z
  .array(
    z.string().refine((text) => isShare(text), {
      message: "must be a share of the limit above 0 and at most 10, such as 0.8",
      params: { code: "out_of_range" },
    }),
  )
  .max(10)
  .meta({ description: "Each one sends an event once per period.", examples: [["0.8", "1"]] });

function isShare(text: string): boolean {
  // Nine decimal places stay distinct as floats.
  return usdProblem(text) === null && Number(text) > 0 && Number(text) <= 10;
}

export const budget = z
  .object({
    id: idShape(METERS.budget.idPrefix),
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
export type Budget = z.output<typeof budget>;

export const newBudget = z
  .strictObject({
    name: name.optional(),
    scope_kind: z.enum(BUDGET_SCOPES),
    scope_id: callerId.optional().meta({ description: "Omit for a budget of the whole organization." }),
    limit_usd: usdInput,
    period,
    mode: z.enum(BUDGET_MODES).default("enforce"),
    alert_thresholds: alertThresholds.default([]),
  })
  .superRefine((budgetInput, context) => {
    const isOrg = budgetInput.scope_kind === "org";
    if (isOrg === (budgetInput.scope_id === undefined)) return;
    context.addIssue({
      code: "custom",
      path: ["scope_id"],
      message: isOrg ? "must be omitted for a budget of the organization" : "is required for this scope",
      params: { code: isOrg ? "invalid_value" : "required" },
    });
  });
export type NewBudget = z.output<typeof newBudget>;

export const budgetChange = z.strictObject({
  name: name.optional(),
  limit_usd: usdInput.optional(),
  period: period.optional(),
  mode: z.enum(BUDGET_MODES).optional(),
  alert_thresholds: alertThresholds.optional(),
});
export type BudgetChange = z.output<typeof budgetChange>;
