import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../kernel/rows.ts";
import { replacedRuns } from "../runs/replaced.ts";
import { findRun } from "../runs/store.ts";
import { type AdjustmentRow, fromAdjustmentRow, toAdjustment } from "./store.ts";

export const listAdjustments = query({
  refuses: ["not_found"],
  run(view, { runId, list }: { runId: string; list: ListQuery }) {
    if (findRun(view.sql, runId) === undefined || replacedRuns(view.sql).has(runId))
      return refuse("not_found");
    return listRows(
      view.sql,
      {
        table: "run_adjustments",
        sort: { created_at: "seq" },
        where: { sql: "run_id = ?", bindings: [runId] },
        toItem: (row: AdjustmentRow) => toAdjustment(fromAdjustmentRow(row)),
      },
      list,
    );
  },
});
