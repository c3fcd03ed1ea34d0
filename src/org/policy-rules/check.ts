import { DUE } from "../kernel/due-kinds.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { refuse } from "../../contract/refusal.ts";
import { attemptDigest, attemptOf, type JudgedRun } from "../../domain/policy/attempt.ts";
import {
  judge,
  NO_SHADOWS,
  type PolicySet,
  type PolicyVerdict,
  judgeShadowRules,
  type Shadows,
  withAllowance,
} from "../../domain/policy/policy.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import type { RunStepBudget } from "../../domain/policy/step-budget.ts";
import { showAttempt } from "../approvals/attempt.ts";
import { type ApprovalRow, findApproval, saveApproval } from "../approvals/store.ts";
import type { Tx } from "../kernel/door.ts";
import type { Finding } from "../kernel/finding.ts";
import { loadPolicies } from "./store.ts";

const PENDING_MS = 7 * DAY_MS;

type CheckedRun = JudgedRun & { readonly approval_id?: string | undefined };
type Code = "policy_blocked" | "policy_approval_required" | "policy_expression_error";
type RuledVerdict = Extract<PolicyVerdict, { verdict: "deny" | "require_approval" }>;

/** Checks runs against the org's rules. Null if it has none. */
export function checkPolicy(
  tx: Tx,
): ((run: CheckedRun, nanos: bigint, stepBudget: RunStepBudget) => Finding<Code> | null) | null {
  const policies = loadPolicies(tx);
  if (policies.length === 0) return null;
  return (run, nanos, stepBudget) => check(tx, policies, { stepBudget, run, nanos });
}

function check(
  tx: Tx,
  policies: PolicySet,
  {
    stepBudget,
    run,
    nanos,
  }: { readonly stepBudget: RunStepBudget; readonly run: CheckedRun; readonly nanos: bigint },
): Finding<Code> | null {
  const attempt = attemptOf(run, nanos);
  const digest = attemptDigest(run, nanos);
  const approvals: ApprovalRow[] = [];
  const isApproved = (ruleId: string) => {
    const approval = findApproval(tx.sql, ruleId, digest, "approved");
    if (approval === null || (run.approval_id ?? approval.id) !== approval.id) return false;
    approvals.push(approval);
    return true;
  };
  const verdict = withAllowance(stepBudget.enforced, (allowance) =>
    judge(policies, attempt, tx.now, { isApproved, allowance }),
  );
  const watching =
    verdict.verdict === "allow"
      ? withAllowance(stepBudget.watched, (allowance) =>
          judgeShadowRules(policies, attempt, tx.now, allowance),
        )
      : NO_SHADOWS;
  if (verdict.verdict === "error") return failed(tx, verdict.ruleId);
  if (verdict.verdict === "deny") return blocked(tx, verdict);
  if (verdict.verdict === "require_approval") return requested(tx, verdict, { digest, run, nanos });
  return onceAccepted(tx, approvals, watching);
}

/** Approvals are used up only by a run that passes every other check too. */
function onceAccepted(
  tx: Tx,
  approvals: readonly ApprovalRow[],
  { matched, failed: notRead }: Shadows,
): Finding<Code> | null {
  if (approvals.length === 0 && matched.length === 0 && notRead.length === 0) return null;
  const leave = () => {
    for (const approval of approvals) saveApproval(tx.sql, { ...approval, status: "used", used_at: tx.now });
    for (const { id, effect } of matched) {
      tx.record({ action: "policy.shadow_matched", target: id, outcome: "done", detail: { effect } });
    }
    for (const { id, effect } of notRead) {
      tx.record({ action: "policy.shadow_failed", target: id, outcome: "done", detail: { effect } });
    }
  };
  return { refusal: null, effect: leave };
}

function failed(tx: Tx, ruleId: string): Finding<Code> {
  const effect = () => tx.record({ action: "policy.failed", target: ruleId, outcome: "refused" });
  return { refusal: refuse("policy_expression_error", { rule_id: ruleId }), effect };
}

function blocked(tx: Tx, { ruleId, reason, attempted }: RuledVerdict): Finding<Code> {
  const details = { reason, attempted, rule_id: ruleId };
  const effect = () =>
    tx.record({ action: "policy.blocked", target: ruleId, outcome: "refused", detail: { attempted } });
  const tell = () => tx.emitLast("policy.blocked", details);
  return { refusal: refuse("policy_blocked", details), effect, tell };
}

/** The refusal creates the approval request. The same attempt finds the one that is already waiting. */
function requested(
  tx: Tx,
  { ruleId, reason, attempted }: RuledVerdict,
  { digest, run, nanos }: { readonly digest: string; readonly run: CheckedRun; readonly nanos: bigint },
): Finding<Code> {
  const details = { reason, attempted, rule_id: ruleId };
  const waiting = findApproval(tx.sql, ruleId, digest, "pending");
  const approval: ApprovalRow = waiting ?? {
    id: newId("apr", tx.now),
    rule_id: ruleId,
    digest,
    status: "pending",
    reason,
    attempted,
    attempt: JSON.stringify(showAttempt(run, nanos)),
    requested_by: tx.actor.id,
    requested_at: tx.now,
    expires_at: tx.now + PENDING_MS,
    decided_by: null,
    decided_at: null,
    used_at: null,
    note: null,
  };
  const answer = { ...details, approval_id: approval.id };
  const effect = () => {
    tx.record({
      action: "policy.approval_required",
      target: ruleId,
      outcome: "refused",
      detail: { approval_id: approval.id, attempted },
    });
    if (waiting !== null) return;
    saveApproval(tx.sql, approval);
    tx.schedule(DUE.approvalExpiry, approval.id, approval.expires_at);
  };
  const tell = () => {
    if (waiting === null) tx.emitLast("policy.approval_requested", answer);
  };
  return { refusal: refuse("policy_approval_required", answer), effect, tell };
}
