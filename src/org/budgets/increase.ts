import { DAY_MS } from "../../contract/durations.ts";
import type { BudgetUnit } from "../../contract/meter-kinds.ts";
import { invalidFields, isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import {
  type Amount,
  amountProblem,
  type FieldProblem,
} from "../../contract/resources/budgets/budget-rules.ts";
import type { NewIncrease } from "../../contract/resources/budget-increases.ts";
import type { BudgetIncrease } from "../../contract/resources/budgets/budgets.ts";
import { parseTimestamp } from "../../contract/shapes.ts";
import type { Increase } from "../../domain/meter/increase.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done, type Tx, type View } from "../kernel/door.ts";
import { saveMeterRow } from "../meters/store.ts";
import { budgetExtra, type BudgetRow, isInForce, loadBudget, formatAmount, storedAmount } from "./store.ts";

/** They are read with their budget at each call. */
const MOST_INCREASES = 20;
const LONGEST_DAYS = 366;

/**
 * A part of a limit that ends by itself. It needs no work when it ends: whoever reads the limit asks for the time, and no slice
 * of the limit lives longer than the increase.
 */
export const increaseBudget = command({
  action: "budget.increased",
  changesLimits: true,
  refuses: ["not_found", "conflict", "validation_failed"],
  run(tx, { id, ...input }: NewIncrease & { id: string }) {
    const row = loadBudget(tx, id);
    if (row === null) return refuse("not_found");
    const { unit = "usd", increases = [] } = budgetExtra(row);
    const made = newIncrease(tx.now, unit, input);
    if (isRefusal(made)) return made;
    const inForce = increases.filter((one) => isInForce(one, tx.now));
    if (inForce.length >= MOST_INCREASES) {
      const message = `This budget already has ${MOST_INCREASES} increases. Revoke one of them first.`;
      return refuse("conflict", {}, { message });
    }
    const ended = increases.filter((one) => !isInForce(one, tx.now));
    const room = MOST_INCREASES - inForce.length - 1;
    save(tx, row, [...(room === 0 ? [] : ended.slice(-room)), ...inForce, made]);
    return done(201, toIncrease(row, made, tx.now), {
      target: id,
      detail: { increase_id: made.id, ...input },
    });
  },
});

export interface NamedIncrease {
  /** The id of the budget. */
  readonly id: string;
  readonly increaseId: string;
}

export function increaseNow(view: View, { id, increaseId }: NamedIncrease): BudgetIncrease | null {
  const row = loadBudget(view, id);
  if (row === null) return null;
  const found = budgetExtra(row).increases?.find((one) => one.id === increaseId);
  return found === undefined ? null : toIncrease(row, found, view.now);
}

export const revokeIncrease = command({
  action: "budget.increase_revoked",
  changesLimits: true,
  refuses: ["not_found"],
  current: increaseNow,
  run(tx, { id, increaseId }: NamedIncrease) {
    const row = loadBudget(tx, id);
    const increases = row === null ? [] : (budgetExtra(row).increases ?? []);
    if (row === null || !increases.some((one) => one.id === increaseId)) return refuse("not_found");
    const rest = increases.filter((one) => one.id !== increaseId);
    save(tx, row, rest);
    return done(204, null, { target: id, detail: { increase_id: increaseId } });
  },
});

function newIncrease(
  now: number,
  unit: BudgetUnit,
  input: NewIncrease,
): Increase | Refusal<"validation_failed"> {
  const untilMs = parseTimestamp(input.until) ?? 0;
  const amount = increaseProblem(unit, input.amount);
  const wrong = [amount, endProblem(untilMs, now)].filter((problem) => problem !== null);
  if (wrong.length > 0) return invalidFields(wrong);
  const stored = storedAmount(unit, input.amount);
  return { id: newId("inc", now), amount: stored, untilMs, reason: input.reason, createdAtMs: now };
}

function increaseProblem(unit: BudgetUnit, amount: Amount): FieldProblem | null {
  const problem = amountProblem(unit, amount);
  if (problem !== null) return { field: "amount", ...problem };
  const isNothing = storedAmount(unit, amount) === "0";
  return isNothing ? { field: "amount", code: "out_of_range", message: "must be more than 0" } : null;
}

function endProblem(untilMs: number, now: number): FieldProblem | null {
  const outside = { field: "until", code: "out_of_range" };
  if (untilMs <= now) return { ...outside, message: "must be in the future" };
  const isLong = untilMs > now + LONGEST_DAYS * DAY_MS;
  return isLong ? { ...outside, message: `must be at most ${LONGEST_DAYS} days from now` } : null;
}

function save(tx: Tx, row: BudgetRow, increases: readonly Increase[]): void {
  saveMeterRow(tx.sql, { ...row, extra: JSON.stringify({ ...budgetExtra(row), increases }) });
}

export function toIncrease(row: BudgetRow, increase: Increase, now: number): BudgetIncrease {
  const { unit = "usd" } = budgetExtra(row);
  return {
    id: increase.id,
    budget_id: row.id,
    amount: formatAmount(unit, BigInt(increase.amount)),
    until: new Date(increase.untilMs).toISOString(),
    reason: increase.reason,
    status: isInForce(increase, now) ? "active" : "ended",
    created_at: new Date(increase.createdAtMs).toISOString(),
  };
}
