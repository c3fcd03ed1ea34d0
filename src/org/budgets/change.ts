import type { BudgetUnit } from "../../contract/meter-kinds.ts";
import { invalidFields, isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import {
  anchorProblem,
  type FieldProblem,
  limitProblem,
} from "../../contract/resources/budgets/budget-rules.ts";
import type { BudgetChange } from "../../contract/resources/budgets/budgets.ts";
import { command, done, type View } from "../kernel/door.ts";
import { deleteLimit } from "../meters/delete.ts";
import { storedShares } from "../meters/show.ts";
import { saveMeterRow, toMeter } from "../meters/store.ts";
import { recount } from "../recount/recount.ts";
import { backdateBudget, uncountable } from "./count-from.ts";
import {
  type BudgetExtra,
  budgetExtra,
  budgetNow,
  type BudgetRow,
  loadBudget,
  storedAmount,
  toBudget,
} from "./store.ts";

export const changeBudget = command({
  action: "budget.updated",
  changesLimits: true,
  refuses: ["not_found", "validation_failed"],
  current: budgetNow,
  run(tx, input: BudgetChange & { id: string }) {
    const before = loadBudget(tx, input.id);
    if (before === null) return refuse("not_found");
    const row = changed(tx, before, input);
    if (isRefusal(row)) return row;
    const areWindowsKept = !hasOtherWindows(before, row);
    const countsAnew = !areWindowsKept || budgetExtra(before).countsFromMs !== budgetExtra(row).countsFromMs;
    const lost = countsAnew ? uncountable(tx, row) : null;
    if (lost !== null) return lost;
    saveMeterRow(tx.sql, row);
    if (countsAnew) recount(tx, toMeter(row, tx.now), { areWindowsKept });
    const { id, ...detail } = input;
    return done(200, toBudget(tx, row), { target: id, detail });
  },
});

export const deleteBudget = deleteLimit("budget.deleted", budgetNow, ({ id }) => id);

function changed(
  view: View,
  before: BudgetRow,
  input: BudgetChange,
): BudgetRow | Refusal<"validation_failed"> {
  const extra = budgetExtra(before);
  const { unit = "usd" } = extra;
  const anchorDay = input.anchor_day === undefined ? extra.anchorDay : (input.anchor_day ?? undefined);
  const period = input.period ?? before.period;
  const problems = [changeProblem(unit, input), anchorProblem({ period, anchor_day: anchorDay })];
  const wrong = problems.filter((problem) => problem !== null);
  if (wrong.length > 0) return invalidFields(wrong);
  const limit = input.limit ?? input.limit_usd;
  const zone = input.timezone ?? before.time_zone;
  const { anchorDay: _day, countsFromMs, ...rest } = extra;
  const countFrom = input.count_from ?? (countsFromMs === undefined ? "creation" : "period_start");
  const after: BudgetExtra = {
    ...rest,
    name: input.name ?? extra.name,
    thresholds:
      input.alert_thresholds === undefined ? extra.thresholds : storedShares(input.alert_thresholds),
    ...(anchorDay === undefined ? {} : { anchorDay }),
    ...backdateBudget(view, countFrom),
  };
  return {
    ...before,
    amount: limit === undefined ? before.amount : storedAmount(unit, limit),
    period,
    time_zone: zone === "UTC" ? null : zone,
    mode: input.mode ?? before.mode,
    extra: JSON.stringify(after),
  };
}

function changeProblem(unit: BudgetUnit, { limit, limit_usd }: BudgetChange): FieldProblem | null {
  return limit === undefined && limit_usd === undefined ? null : limitProblem({ unit, limit, limit_usd });
}

function hasOtherWindows(before: BudgetRow, after: BudgetRow): boolean {
  if (before.period !== after.period || before.time_zone !== after.time_zone) return true;
  return budgetExtra(before).anchorDay !== budgetExtra(after).anchorDay;
}
