import type { ApprovalResource } from "../../contract/resources/approvals.ts";
import { saveRow } from "../../storage/rows.ts";
import { type View } from "../kernel/door.ts";
import { iso } from "../../domain/time/iso.ts";

export type ApprovalRow = {
  id: string;
  rule_id: string;
  digest: string;
  status: ApprovalResource["status"];
  reason: string;
  attempted: string;
  /** The attempt, as JSON text. */
  attempt: string;
  requested_by: string;
  requested_at: number;
  expires_at: number;
  decided_by: string | null;
  decided_at: number | null;
  used_at: number | null;
  note: string | null;
};

export function loadApproval(sql: SqlStorage, id: string): ApprovalRow | null {
  return sql.exec<ApprovalRow>("SELECT * FROM approvals WHERE id = ?", id).toArray()[0] ?? null;
}

/** The approval of an attempt under a rule, in a given state. */
export function findApproval(
  sql: SqlStorage,
  ruleId: string,
  digest: string,
  status: "pending" | "approved",
): ApprovalRow | null {
  const rows = sql.exec<ApprovalRow>(
    "SELECT * FROM approvals WHERE rule_id = ? AND digest = ? AND status = ? ORDER BY requested_at LIMIT 1",
    ruleId,
    digest,
    status,
  );
  return rows.toArray()[0] ?? null;
}

export function saveApproval(sql: SqlStorage, row: ApprovalRow): void {
  saveRow(sql, "approvals", row);
}

export function toApproval(row: ApprovalRow): ApprovalResource {
  return {
    id: row.id,
    rule_id: row.rule_id,
    status: row.status,
    reason: row.reason,
    attempted: row.attempted,
    attempt: JSON.parse(row.attempt) as ApprovalResource["attempt"],
    requested_by: row.requested_by,
    requested_at: iso(row.requested_at),
    expires_at: iso(row.expires_at),
    decided_by: row.decided_by,
    decided_at: iso(row.decided_at),
    used_at: iso(row.used_at),
    note: row.note,
  };
}

export type ApprovalRef = { readonly approvalId: string };

export function approvalNow(
  { sql }: Pick<View, "sql">,
  { approvalId }: ApprovalRef,
): ApprovalResource | null {
  const row = loadApproval(sql, approvalId);
  return row === null ? null : toApproval(row);
}
