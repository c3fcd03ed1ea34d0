import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { query } from "../kernel/door.ts";
import { listRows } from "../../storage/list-rows.ts";
import { loadApproval, toApproval } from "./store.ts";

export const listApprovals = query({
  refuses: [],
  run: (view, input: ListQuery) =>
    listRows(
      view.sql,
      {
        table: "approvals",
        sort: { requested_at: "requested_at" },
        filters: { status: "status = ?", rule_id: "rule_id = ?" },
        toItem: toApproval,
      },
      input,
    ),
});

export const getApproval = query({
  refuses: ["not_found"],
  run(view, input: { approvalId: string }) {
    const row = loadApproval(view.sql, input.approvalId);
    return row === null ? refuse("not_found") : toApproval(row);
  },
});
