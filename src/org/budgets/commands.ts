import type { ListQuery } from "../../contract/list.ts";
import type { BudgetChange, NewBudget } from "../../contract/resources/budgets.ts";
import { METERS } from "../../contract/meter-kinds.ts";
import { refuse } from "../../contract/refusal.ts";
import { parseUsd } from "../../domain/money.ts";
import { newId } from "../../domain/ulid.ts";
import { command, done, query, type View } from "../kernel/door.ts";
import { recount } from "../recount/recount.ts";
import { deleteMeter, loadMeterRow, saveMeterRow, toMeter } from "../meters/store.ts";
import { listRows } from "../kernel/rows.ts";
import { budgetExtra, type BudgetRow, toBudget } from "./store.ts";

/** An amount or a share, both billionths of one. */
const billionths = (text: string) => String(parseUsd(text) ?? 0n);

const load = (view: View, id: string) => loadMeterRow<BudgetRow>(view.sql, id, "budget");

const current = (view: View, input: { id: string }) => {
  const row = load(view, input.id);
  return row === null ? null : toBudget(view, row);
};

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
  current,
  run(tx, input: BudgetChange & { id: string }) {
    const before = load(tx, input.id);
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
  current,
  run(tx, input: { id: string }) {
    if (load(tx, input.id) === null) return refuse("not_found");
    deleteMeter(tx.sql, input.id);
    return done(204, null, { target: input.id });
  },
});

export const getBudget = query({
  refuses: ["not_found"],
  run: (view, input: { id: string }) => current(view, input) ?? refuse("not_found"),
});

export const listBudgets = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "meters",
        where: { sql: "kind = ?", bindings: ["budget"] },
        sort: { created_at: "since" },
        filters: {
          scope_kind: "scope_kind = ?",
          scope_id: "scope_id = ?",
          period: "period = ?",
          mode: "mode = ?",
        },
        toItem: (row: BudgetRow) => toBudget(view, row),
      },
      input,
    ),
});
