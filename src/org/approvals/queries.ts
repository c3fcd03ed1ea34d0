import { approvalNow, toApproval } from "./store.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const listApprovals = readList(() => ({
  table: "approvals",
  sort: { requested_at: "requested_at" },
  filters: { status: "status = ?", rule_id: "rule_id = ?" },
  toItem: toApproval,
}));

export const getApproval = readOne(approvalNow);
