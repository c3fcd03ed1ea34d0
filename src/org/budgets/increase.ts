import { DAY_MS } from "../../contract/durations.ts";
import type { BudgetUnit } from "../../contract/meter-kinds.ts";
import { invalidField, isRefusal, type Refusal, refuse } from "../../contract/refusal.ts";
import { amountProblem } from "../../contract/resources/budget-rules.ts";
import type { NewIncrease } from "../../contract/resources/budget-increases.ts";
import type { BudgetIncrease } from "../../contract/resources/budgets.ts";
import { parseTimestamp } from "../../contract/shapes.ts";
import type { Increase } from "../../domain/increase.ts";
import { newId } from "../../domain/ulid.ts";
import { command, done, type Tx, type View } from "../kernel/door.ts";
import { saveMeterRow } from "../meters/store.ts";
import { budgetExtra, type BudgetRow, isInForce, loadBudget, shownAmount, storedAmount } from "./store.ts";

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
  /** Of the budget. */
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
  const problem = amountProblem(unit, input.amount);
  if (problem !== null) return invalidField("amount", problem.code, problem.message);
  const amount = storedAmount(unit, input.amount);
  if (amount === "0") return invalidField("amount", "out_of_range", "must be more than 0");
  const untilMs = parseTimestamp(input.until) ?? 0;
  if (untilMs <= now) return invalidField("until", "out_of_range", "must be in the future");
  if (untilMs > now + LONGEST_DAYS * DAY_MS) {
    return invalidField("until", "out_of_range", `must be at most ${LONGEST_DAYS} days from now`);
  }
  return { id: newId("inc", now), amount, untilMs, reason: input.reason, createdAtMs: now };
}

function save(tx: Tx, row: BudgetRow, increases: readonly Increase[]): void {
  saveMeterRow(tx.sql, { ...row, extra: JSON.stringify({ ...budgetExtra(row), increases }) });
}

export function toIncrease(row: BudgetRow, increase: Increase, now: number): BudgetIncrease {
  const { unit = "usd" } = budgetExtra(row);
  return {
    id: increase.id,
    budget_id: row.id,
    amount: shownAmount(unit, BigInt(increase.amount)),
    until: new Date(increase.untilMs).toISOString(),
    reason: increase.reason,
    status: isInForce(increase, now) ? "active" : "ended",
    created_at: new Date(increase.createdAtMs).toISOString(),
  };
}
