import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../kernel/rows.ts";
import { budgetNow, type BudgetRow, toBudget } from "./store.ts";

export const getBudget = query({
  refuses: ["not_found"],
  run: (view, input: { id: string }) => budgetNow(view, input) ?? refuse("not_found"),
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
