import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { Sought } from "../../domain/id-index/sought.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../kernel/rows.ts";
import { withMetadata } from "./long-metadata.ts";
import { STARTED, STARTED_TOGETHER_MS } from "./schema.ts";
import { toRun } from "./run.ts";
import { fromRow, loadRuns, RUN_COLUMNS, type RunRow } from "./store.ts";

/** Looking at this many takes 0.1 s. An index for each filter would cost every run that is recorded. */
const ROWS_SEEN = 100_000;

/** In characters of JSON. A page crosses from the object to the isolate in one piece, which the platform bounds at 32 MiB. */
const PAGE_CHARACTERS = 4_194_304;

function sizeOf(row: RunRow): number {
  return row.data.length + (fromRow(row).extra?.long?.characters ?? 0);
}

export const listRuns = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "run_rows",
        columns: RUN_COLUMNS,
        sort: { started_at: "started_at", cost_usd: "cost" },
        coarse: { started_at: STARTED_TOGETHER_MS },
        filters: {
          model: "model = ?",
          action: "action = ?",
          workflow_id: "workflow_id = ?",
          deployment_id: "deployment_id = ?",
          department_id: "department_id = ?",
          customer_id: "customer_id = ?",
          chain_id: "chain_id = ?",
          from: `${STARTED} >= CAST(? AS INTEGER) / ${STARTED_TOGETHER_MS} AND started_at >= CAST(? AS INTEGER)`,
          to: `${STARTED} <= CAST(? AS INTEGER) / ${STARTED_TOGETHER_MS} AND started_at < CAST(? AS INTEGER)`,
        },
        scan: {
          rows: ROWS_SEEN,
          column: "started_at",
          within: ["from", "to"],
          indexed: ["chain_id"],
        },
        // A cost may be more than a double can tell apart: it goes into the cursor as text.
        cursor: { cost: "cost_text" },
        size: { most: PAGE_CHARACTERS, of: sizeOf },
        toItem: (row: RunRow) => toRun(withMetadata(view.sql, fromRow(row))),
      },
      input,
    ),
});

export const getRun = query({
  refuses: ["not_found"],
  run(view, input: { id: string }) {
    const run = loadRuns(view.sql, new Sought([input.id])).get(input.id);
    return run === undefined ? refuse("not_found") : toRun(withMetadata(view.sql, run));
  },
});
