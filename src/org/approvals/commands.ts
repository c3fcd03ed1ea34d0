import { DUE } from "../kernel/due-kinds.ts";
import { refuse } from "../../contract/refusal.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { hasAdminOutside, isInFamily, lineOf, selfOf } from "../keys/family.ts";
import {
  approvalNow,
  type ApprovalRef,
  type ApprovalRow,
  loadApproval,
  saveApproval,
  toApproval,
} from "./store.ts";

type ApprovalDecision = ApprovalRef & { readonly note?: string | undefined };

const deciding = (status: "approved" | "denied") =>
  command({
    action: `approval.${status}`,
    refuses: ["not_found", "conflict", "forbidden"],
    current: approvalNow,
    run: (tx, input: ApprovalDecision) => decide(tx, input, status),
  });

export const approve = deciding("approved");
export const deny = deciding("denied");

function decide(tx: Tx, { approvalId: id, note }: ApprovalDecision, status: "approved" | "denied") {
  const row = loadApproval(tx.sql, id);
  if (row === null) return refuse("not_found");
  if (row.status !== "pending") {
    return refuse("conflict", {}, { message: `This approval is already ${row.status}.` });
  }
  if (isOwnRequest(tx, row)) {
    const message =
      "You cannot decide your own request, or one of a key that was minted with yours. Another admin must decide it.";
    return refuse("forbidden", {}, { message });
  }
  const decided = { ...row, status, decided_by: tx.actor.id, decided_at: tx.now, note: note ?? null };
  saveApproval(tx.sql, decided);
  tx.schedule(DUE.approvalExpiry, id, null);
  tx.emit("policy.approval_decided", { approval_id: id, rule_id: row.rule_id, decision: status });
  const detail = { rule_id: row.rule_id, ...(note === undefined ? {} : { note }) };
  return done(200, toApproval(decided), { target: id, detail });
}

/**
 * Nobody decides on what they asked for, as long as somebody else can. Keys that the requester minted, and keys of anyone in
 * the line that minted the requester's, are theirs as far as an admin outside of those keys can decide.
 */
function isOwnRequest(tx: Tx, { requested_by }: ApprovalRow): boolean {
  if (requested_by === tx.actor.id && hasAnotherAdmin(tx)) return true;
  const [requester, self] = [selfOf(tx.sql, requested_by), selfOf(tx.sql, tx.actor.id)];
  return lineOf(tx.sql, requester).some(
    (head) => isInFamily(tx.sql, head, self) && hasAdminOutside(tx, head),
  );
}

/** If only one person can decide, they may decide their own request. */
function hasAnotherAdmin(tx: Tx): boolean {
  const others = tx.sql.exec(
    `SELECT 1 FROM keys WHERE id <> ? AND role IN ('admin', 'owner') AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > ?) AND (not_before IS NULL OR not_before <= ?) LIMIT 1`,
    tx.actor.id,
    tx.now,
    tx.now,
  );
  return others.toArray().length > 0;
}
