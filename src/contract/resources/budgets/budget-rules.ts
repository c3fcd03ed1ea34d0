import type { BudgetUnit } from "../../meter-kinds.ts";
import type { PERIODS } from "../../lists.ts";
import { usdProblem } from "../../shapes.ts";

/** The most tokens or runs that a limit can be. */
export const MOST_COUNT = 1_000_000_000_000_000;

export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export type Amount = string | number;

/** Returns what is wrong with an amount of a unit. */
export function amountProblem(unit: BudgetUnit, amount: Amount): Omit<FieldProblem, "field"> | null {
  if (unit === "usd") {
    if (typeof amount === "string") return usdProblem(amount);
    return {
      code: "invalid_type",
      message: 'must be a decimal string such as "12.50", because it is dollars',
    };
  }
  const isWhole = typeof amount === "number" || /^\d{1,16}$/.test(amount);
  if (isWhole && Number(amount) <= MOST_COUNT) return null;
  return { code: isWhole ? "out_of_range" : "invalid_format", message: `must be a whole number of ${unit}` };
}

/** A budget in dollars may have its limit in either field. */
export function limitProblem({
  unit,
  limit,
  limit_usd: usd,
}: {
  unit: BudgetUnit;
  limit?: Amount | undefined;
  limit_usd?: string | undefined;
}): FieldProblem | null {
  if (usd !== undefined) {
    const message = unit === "usd" ? "must be omitted with limit" : `must be omitted: use limit for ${unit}`;
    return limit === undefined && unit === "usd"
      ? null
      : { field: "limit_usd", code: "invalid_value", message };
  }
  if (limit === undefined) {
    return { field: unit === "usd" ? "limit_usd" : "limit", code: "required", message: "is required" };
  }
  const problem = amountProblem(unit, limit);
  return problem === null ? null : { field: "limit", ...problem };
}

const LAST_ANCHOR: Readonly<Partial<Record<(typeof PERIODS)[number], number>>> = { week: 7, month: 28 };

/** Only weeks and months can begin on another day. */
export function anchorProblem({
  period,
  anchor_day: day,
}: {
  period: (typeof PERIODS)[number];
  anchor_day?: number | null | undefined;
}): FieldProblem | null {
  if (day === undefined || day === null) return null;
  const last = LAST_ANCHOR[period];
  if (last !== undefined && day <= last) return null;
  const message =
    last === undefined
      ? `must be omitted for the period ${period}`
      : `must be from 1 to ${last} for a ${period}`;
  return { field: "anchor_day", code: "out_of_range", message };
}
