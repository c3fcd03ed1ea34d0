import * as z from "zod";
import { callerId, idShape } from "../ids.ts";
import { name, timestamp, usd, usdInput } from "../shapes.ts";
import { PERIODS } from "../lists.ts";
import { BUDGET_UNITS, METERS } from "../meter-kinds.ts";
import { BUDGET_SCOPES, MATCH_SCOPE } from "../scopes.ts";
import { alertThresholds, shownThresholds } from "./alert-thresholds.ts";
import { anchorProblem, type FieldProblem, limitProblem, MOST_COUNT } from "./budget-rules.ts";
import { budgetGroups, budgetMatch } from "./budget-match.ts";

export const BUDGET_MODES = ["enforce", "shadow"] as const;
export const period = z.enum(PERIODS);

const scopeKind = z.enum([...BUDGET_SCOPES, MATCH_SCOPE]);
export const budgetScopeKind = scopeKind;

/** Dollars as text, or a number of tokens or runs. */
export const counted = z.union([usd, z.int()]);
const standing = counted.nullable().meta({ description: "In the budget's unit. Null with `group_by`." });

export const budget = z
  .object({
    id: idShape(METERS.budget.idPrefix),
    name: name.nullable(),
    scope_kind: scopeKind.meta({ description: "`match`: see `match`." }),
    scope_id: z.string().nullable(),
    match: budgetMatch.nullable().meta({ description: "Which calls it applies to. Null if its scope says." }),
    group_by: z
      .array(z.string())
      .meta({ description: "Each value has its own counter. Empty: one for all." }),
    unit: z.enum(BUDGET_UNITS),
    limit_usd: usd.meta({ description: "Zero for a budget in another unit." }),
    limit: counted.meta({ description: "In the budget's unit, without increases." }),
    increase: counted.meta({ description: "What temporary increases add to the limit now." }),
    period,
    timezone: z.string().meta({ description: "IANA time zone of its periods." }),
    anchor_day: z.int().nullable().meta({
      description: "The day on which its months (1 to 28) or weeks (1 is Monday) begin. Null: the first.",
    }),
    mode: z.enum(BUDGET_MODES),
    alert_thresholds: shownThresholds,
    spent_usd: usd.meta({ description: "Zero for a budget in another unit, or with `group_by`." }),
    reserved_usd: usd,
    available_usd: usd,
    spent: standing,
    reserved: standing,
    available: standing,
    period_start: timestamp,
    period_end: timestamp.nullable(),
    status: z.enum(["active", "exhausted"]),
    created_at: timestamp,
  })
  .meta({ id: "Budget" });
export type Budget = z.output<typeof budget>;

/** One counter of a budget with `group_by`. */
export const budgetGroup = z
  .object({
    group: z
      .string()
      .nullable()
      .meta({ description: "The value, or both, separated by a comma. Null: calls without one." }),
    group_values: z.record(z.string(), z.string().nullable()),
    spent: counted,
    reserved: counted,
    available: counted,
    status: z.enum(["active", "exhausted"]),
    period_start: timestamp,
    period_end: timestamp.nullable(),
  })
  .meta({ id: "BudgetGroup" });
export type BudgetGroup = z.output<typeof budgetGroup>;

export const limitInput = z.union([z.string().max(40), z.int().min(0).max(MOST_COUNT)]).meta({
  description: "Dollars as a decimal string, or a whole number of tokens or runs.",
  examples: [1_000_000],
});
const anchorDay = z.int().min(1).max(28);

export const newBudget = z
  .strictObject({
    name: name.optional(),
    scope_kind: z.enum(BUDGET_SCOPES).optional().meta({ description: "Required without `match`." }),
    scope_id: callerId.optional().meta({ description: "Omit for a budget of the whole organization." }),
    match: budgetMatch.optional().meta({ description: "In place of `scope_kind` and `scope_id`." }),
    group_by: budgetGroups.optional(),
    unit: z.enum(BUDGET_UNITS).default("usd"),
    limit_usd: usdInput.optional().meta({ description: "The same as `limit`, for a budget in dollars." }),
    limit: limitInput.optional(),
    period,
    timezone: z.string().optional().meta({ description: "IANA time zone of its periods. Default: UTC." }),
    anchor_day: anchorDay.optional().meta({
      description: "The day on which months (1 to 28) or weeks (1 is Monday, to 7) begin.",
    }),
    mode: z.enum(BUDGET_MODES).default("enforce"),
    alert_thresholds: alertThresholds.default([]),
  })
  .superRefine((input, context) => {
    for (const { field, code, message } of [
      scopeProblem(input),
      limitProblem(input),
      anchorProblem(input),
    ].flatMap((problem) => problem ?? [])) {
      context.addIssue({ code: "custom", path: [field], message, params: { code } });
    }
  });
export type NewBudget = z.output<typeof newBudget>;

function omit(field: string, message: string): FieldProblem {
  return { field, code: "invalid_value", message };
}

function scopeProblem({
  scope_kind: kind,
  scope_id: id,
  match,
  group_by: groupBy,
}: {
  scope_kind?: string | undefined;
  scope_id?: string | undefined;
  match?: object | undefined;
  group_by?: readonly string[] | undefined;
}): FieldProblem | null {
  if (match !== undefined) {
    if (kind !== undefined) return omit("scope_kind", "must be omitted with match");
    return id === undefined ? null : omit("scope_id", "must be omitted with match");
  }
  if (kind === undefined)
    return { field: "scope_kind", code: "required", message: "is required without match" };
  if (groupBy !== undefined) return omit("group_by", "requires match, which may be {} for every call");
  const isOrg = kind === "org";
  if (isOrg === (id === undefined)) return null;
  return isOrg
    ? omit("scope_id", "must be omitted for a budget of the organization")
    : { field: "scope_id", code: "required", message: "is required for this scope" };
}

export const budgetChange = z.strictObject({
  name: name.optional(),
  limit_usd: usdInput.optional(),
  limit: limitInput.optional(),
  period: period.optional(),
  timezone: z.string().optional(),
  anchor_day: anchorDay
    .nullable()
    .optional()
    .meta({ description: "Null: periods begin on their first day." }),
  mode: z.enum(BUDGET_MODES).optional(),
  alert_thresholds: alertThresholds.optional(),
});
export type BudgetChange = z.output<typeof budgetChange>;

export const budgetIncrease = z
  .object({
    id: idShape("inc"),
    budget_id: z.string(),
    amount: counted,
    until: timestamp,
    reason: z.string(),
    status: z.enum(["active", "ended"]),
    created_at: timestamp,
  })
  .meta({ id: "BudgetIncrease" });
export type BudgetIncrease = z.output<typeof budgetIncrease>;
