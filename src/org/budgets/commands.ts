import type { BudgetChange, NewBudget } from "../../contract/resources/budgets.ts";
import { METERS } from "../../contract/meter-kinds.ts";
import { refuse } from "../../contract/refusal.ts";
import { parseUsd } from "../../domain/money.ts";
import { newId } from "../../domain/ulid.ts";
import { command, done } from "../kernel/door.ts";
import { recount } from "../recount/recount.ts";
import { deleteMeter, saveMeterRow, toMeter } from "../meters/store.ts";
import { budgetExtra, budgetNow, type BudgetRow, loadBudget, toBudget } from "./store.ts";

/** An amount or a share, in billionths. */
const billionths = (text: string) => String(parseUsd(text) ?? 0n);

export const createBudget = command({
  action: "budget.created",
  changesLimits: true,
  refuses: [],
  run(tx, input: NewBudget) {
    const row: BudgetRow = {
      id: newId(METERS.budget.idPrefix, tx.now),
      kind: "budget",
      scope_kind: input.scope_kind,
      scope_id: input.scope_id ?? "",
      amount: billionths(input.limit_usd),
      period: input.period,
      time_zone: null,
      mode: input.mode,
      since: tx.now,
      extra: JSON.stringify({
        name: input.name ?? null,
        thresholds: input.alert_thresholds.map(billionths),
      }),
    };
    saveMeterRow(tx.sql, row);
    return done(201, toBudget(tx, row), { target: row.id, detail: { ...input } });
  },
});

export const changeBudget = command({
  action: "budget.updated",
  changesLimits: true,
  refuses: ["not_found"],
  current: budgetNow,
  run(tx, input: BudgetChange & { id: string }) {
    const before = loadBudget(tx, input.id);
    if (before === null) return refuse("not_found");
    const extra = budgetExtra(before);
    const row: BudgetRow = {
      ...before,
      amount: input.limit_usd === undefined ? before.amount : billionths(input.limit_usd),
      period: input.period ?? before.period,
      mode: input.mode ?? before.mode,
      extra: JSON.stringify({
        name: input.name ?? extra.name,
        thresholds: input.alert_thresholds?.map(billionths) ?? extra.thresholds,
      }),
    };
    saveMeterRow(tx.sql, row);
    if (row.period !== before.period) recount(tx, toMeter(row));
    const { id, ...detail } = input;
    return done(200, toBudget(tx, row), { target: id, detail });
  },
});

export const deleteBudget = command({
  action: "budget.deleted",
  changesLimits: true,
  refuses: ["not_found"],
  current: budgetNow,
  run(tx, input: { id: string }) {
    if (loadBudget(tx, input.id) === null) return refuse("not_found");
    deleteMeter(tx.sql, input.id);
    return done(204, null, { target: input.id });
  },
});
