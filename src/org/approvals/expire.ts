import type { DueHandler } from "../kernel/due/handler.ts";
import { loadApproval, saveApproval } from "./store.ts";

/** An approval that nobody decided in time expires. The same attempt then creates a new one. */
export const expireApproval: DueHandler = {
  kind: "change",
  run(tx, id) {
    const row = loadApproval(tx.sql, id);
    if (row === null || row.status !== "pending") return;
    saveApproval(tx.sql, { ...row, status: "expired" });
    tx.record({ action: "approval.expired", target: id, outcome: "done", detail: { rule_id: row.rule_id } });
  },
};
