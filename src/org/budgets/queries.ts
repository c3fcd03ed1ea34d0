import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import type { Budget } from "../../contract/resources/budgets/budgets.ts";
import { type CheckpointedView, query } from "../kernel/door.ts";
import { listRows, searchedIn } from "../../storage/list-rows.ts";
import { toMeter } from "../meters/store.ts";
import { countersOf } from "../meters/subjects.ts";
import { loadUsage, newEntry, USAGE } from "../meters/usage.ts";
import { increaseNow, toIncrease } from "./increase.ts";
import { budgetExtra, type BudgetRow, loadBudget, formatAmount, toBudget, toGroup } from "./store.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const getBudget = readOne((view, { id }: { id: string }) => {
  const row = loadBudget(view, id);
  return row === null ? null : readBudget(view, row);
});

/** Returns the budget with what its counters have in them, if it has several. */
function readBudget(view: CheckpointedView, row: BudgetRow): Budget {
  const budget = toBudget(view, row);
  if (budget.group_by.length === 0) return budget;
  const meter = toMeter(row, view.now);
  const { startMs } = newEntry(meter, "", view.now).window;
  const { counters: largest, total } = countersOf(view.sql, { meterId: row.id, startMs, limit: 1 });
  const { spent, reserved } = total();
  const [fullest] = largest.map(({ subject, usage }) =>
    toGroup(budget.unit, { ...newEntry(meter, subject, view.now), usage }),
  );
  const counters = {
    spent: formatAmount(budget.unit, spent),
    reserved: formatAmount(budget.unit, reserved),
    fullest: fullest ?? null,
  };
  return { ...budget, counters };
}

export const listBudgets = readList((view) => ({
  table: "meters",
  where: { sql: "kind = ?", bindings: ["budget"] },
  sort: { created_at: "since" },
  filters: {
    scope_kind: "scope_kind = ?",
    scope_id: "scope_id = ?",
    period: "period = ?",
    mode: "mode = ?",
  },
  searched: searchedIn(["extra", "scope_kind", "scope_id"], searchedText),
  toItem: (row: BudgetRow) => readBudget(view, row),
}));

/** The name or, without one, what the budget applies to. */
function searchedText(row: Pick<BudgetRow, "extra" | "scope_kind" | "scope_id">): string {
  const { name, given } = budgetExtra(row);
  if (name !== null) return name;
  if (given === undefined)
    return row.scope_kind === "org" ? "whole org" : `${row.scope_kind} ${row.scope_id}`;
  const { tags = {}, ...named } = given;
  const parts = [...Object.entries(named), ...Object.entries(tags)].map(
    ([field, values]) => `${field.replace(/_id$/, "")} ${[values].flat().join(" or ")}`,
  );
  return parts.length === 0 ? "every call" : parts.join(" and ");
}

/** The counters of a budget in its current period. */
export const listBudgetGroups = query({
  refuses: ["not_found"],
  run(view, { id, list }: { id: string; list: ListQuery }) {
    const row = loadBudget(view, id);
    if (row === null) return refuse("not_found");
    const { unit = "usd" } = budgetExtra(row);
    const meter = toMeter(row, view.now);
    const { startMs } = newEntry(meter, "", view.now).window;
    return listRows(
      view.sql,
      {
        table: USAGE.in(view.sql),
        columns: "subject",
        where: { sql: "meter_id = ? AND window_start = ? AND subject <> ''", bindings: [id, startMs] },
        sort: { group: "subject" },
        id: "subject",
        toItem({ subject }: { subject: string }) {
          const entry = newEntry(meter, subject, view.now);
          loadUsage(view.sql, [entry]);
          return toGroup(unit, entry);
        },
      },
      list,
    );
  },
});

export const getIncrease = readOne(increaseNow);

/** Newest first, the ended ones among them as long as there is room. */
export const listIncreases = query({
  refuses: ["not_found"],
  run(view, { id }: { id: string }) {
    const row = loadBudget(view, id);
    if (row === null) return refuse("not_found");
    const { increases = [] } = budgetExtra(row);
    const newestFirst = [...increases].sort((one, other) => (one.id < other.id ? 1 : -1));
    return { data: newestFirst.map((one) => toIncrease(row, one, view.now)), next_cursor: null };
  },
});
