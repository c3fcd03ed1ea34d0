import * as z from "zod";
import { withRule } from "../../field-rules.ts";
import { callerId, idShape } from "../../ids.ts";
import { name, timestamp, usd, usdInput } from "../../shapes.ts";
import { PERIODS } from "../../lists.ts";
import { BUDGET_UNITS, type BudgetUnit, METERS } from "../../meter-kinds.ts";
import { BUDGET_SCOPES, MATCH_SCOPE } from "../../scopes.ts";
import { alertThresholds, shownThresholds } from "./alert-thresholds.ts";
import { type Amount, anchorProblem, type FieldProblem, limitProblem, MOST_COUNT } from "./budget-rules.ts";
import { budgetGroups, budgetMatch } from "./budget-match.ts";

export const BUDGET_MODES = ["enforce", "shadow"] as const;
/** From when a budget counts in the period in which it is created. */
export const COUNT_FROM = ["creation", "period_start"] as const;
export const period = z.enum(PERIODS);

const scopeKind = z.enum([...BUDGET_SCOPES, MATCH_SCOPE]);
export const budgetScopeKind = scopeKind;

/** Dollars as text, or a number of tokens or runs. */
export const counted = z.union([usd, z.int()]);
const countFrom = z.enum(COUNT_FROM).meta({
  description:
    "`period_start`: runs that were recorded before the budget was created count, too, as far as they belong to its period.",
});
const standing = counted.nullable().meta({ description: "In the budget's unit. Null with `group_by`." });

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
    over: counted.nullable().meta({
      description:
        "The part of `spent` that is past the limit because it had already happened: of runs that settle a reservation or are reported as incurred, of adjustments, and of runs before the budget was created. Null with `group_by`.",
    }),
    counters: z
      .object({
        spent: counted.meta({ description: "Of all counters together." }),
        reserved: counted,
        fullest: budgetGroup
          .nullable()
          .meta({ description: "The one with most in it. Null: nothing was counted in this period." }),
      })
      .optional()
      .meta({ description: "Only with `group_by`, where a budget is read or listed." }),
    period_start: timestamp,
    period_end: timestamp.nullable(),
    count_from: countFrom,
    counts_since: timestamp.meta({
      description:
        "From when it counts in the current period: `period_start`, or `created_at` if that is later.",
    }),
    status: z.enum(["active", "exhausted"]),
    created_at: timestamp,
  })
  .meta({ id: "Budget" });
export type Budget = z.output<typeof budget>;

export const limitInput = z.union([z.string().max(40), z.int().min(0).max(MOST_COUNT)]).meta({
  description: "Dollars as a decimal string, or a whole number of tokens or runs.",
  examples: [1_000_000],
});
const anchorDay = z.int().min(1).max(28);

export const newBudget = withRule(
  z.strictObject({
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
    count_from: countFrom.default("creation"),
  }),
  (input, { complain, isWrong }) => {
    const isGiven = (field: keyof typeof input) => input[field] !== undefined || isWrong(field);
    const { period: length, anchor_day: day } = input;
    const anchor = length === undefined ? null : anchorProblem({ period: length, anchor_day: day });
    const problems = [...scopeProblems(input.scope_kind, isGiven), limitOf(input, isGiven), anchor];
    for (const problem of problems) {
      if (problem !== null) complain([problem.field], problem.code, problem.message);
    }
  },
);
export type NewBudget = z.output<typeof newBudget>;

type IsGiven = (field: "scope_kind" | "scope_id" | "match" | "group_by" | "limit" | "limit_usd") => boolean;

function omit(field: string, message: string): FieldProblem {
  return { field, code: "invalid_value", message };
}

function required(field: string, message: string): FieldProblem {
  return { field, code: "required", message };
}

/** `kind` is undefined if it is missing or wrong. */
function scopeProblems(kind: string | undefined, isGiven: IsGiven): FieldProblem[] {
  if (isGiven("match")) {
    const beside = (["scope_kind", "scope_id"] as const).filter(isGiven);
    return beside.map((field) => omit(field, "must be omitted with match"));
  }
  const found: FieldProblem[] = [];
  if (!isGiven("scope_kind")) found.push(required("scope_kind", "is required without match"));
  if (isGiven("group_by")) found.push(omit("group_by", "requires match, which may be {} for every call"));
  if (kind === "org" && isGiven("scope_id"))
    found.push(omit("scope_id", "must be omitted for a budget of the organization"));
  if (kind !== undefined && kind !== "org" && !isGiven("scope_id"))
    found.push(required("scope_id", "is required for this scope"));
  return found;
}

/** Where the unit or a limit is wrong itself, only what holds in every unit is said. */
function limitOf(
  {
    unit,
    limit,
    limit_usd,
  }: { unit?: BudgetUnit | undefined; limit?: Amount | undefined; limit_usd?: string | undefined },
  isGiven: IsGiven,
): FieldProblem | null {
  const isKnown =
    isGiven("limit") === (limit !== undefined) && isGiven("limit_usd") === (limit_usd !== undefined);
  if (unit !== undefined && isKnown) return limitProblem({ unit, limit, limit_usd });
  if (isGiven("limit") && isGiven("limit_usd")) return omit("limit_usd", "must be omitted with limit");
  return isGiven("limit") || isGiven("limit_usd") ? null : required("limit_usd", "is required");
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
  count_from: countFrom.optional(),
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
