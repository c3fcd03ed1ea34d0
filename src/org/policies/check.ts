import { type Refusal, refuse } from "../../contract/refusal.ts";
import { formatUsd } from "../../domain/money.ts";
import type { Allowance } from "../../domain/policy-compile.ts";
import { attemptDigest, attemptOf, type JudgedRun } from "../../domain/policy-attempt.ts";
import {
  judge,
  JUDGEMENT_COST,
  type PolicyRule,
  type PolicySet,
  type PolicyVerdict,
  shadowed,
} from "../../domain/policy.ts";
import { newId } from "../../domain/ulid.ts";
import { APPROVAL_EXPIRY } from "../approvals/decide.ts";
import { type ApprovalRow, findApproval, saveApproval } from "../approvals/store.ts";
import type { Tx } from "../door.ts";
import { staying } from "../staying.ts";
import { loadPolicies } from "./store.ts";

/** What the runs of one call may cost together, so that a batch cannot hold its org up for long. */
const CALL_COST = 5_000_000;
const PENDING_MS = 7 * 86_400_000;

type Checked = JudgedRun & { readonly approval_id?: string | undefined };
type Code = "policy_blocked" | "policy_approval_required" | "policy_expression_error";
type Ruled = Extract<PolicyVerdict, { verdict: "deny" | "require_approval" }>;

/** Holds runs against the org's rules: the refusal, or what to do once the run is accepted, or null. */
export function checkPolicy(tx: Tx): (run: Checked, nanos: bigint) => Refusal<Code> | (() => void) | null {
  const policies = loadPolicies(tx);
  if (policies.length === 0) return () => null;
  const allowance = { left: CALL_COST };
  return (run, nanos) => check(tx, policies, allowance, run, nanos);
}

function check(
  tx: Tx,
  policies: PolicySet,
  call: Allowance,
  run: Checked,
  nanos: bigint,
): Refusal<Code> | (() => void) | null {
  const attempt = attemptOf(run, nanos);
  const digest = attemptDigest(run, nanos);
  const approvals: ApprovalRow[] = [];
  const isApproved = (ruleId: string) => {
    const approval = findApproval(tx.sql, ruleId, digest, "approved");
    if (approval === null || (run.approval_id ?? approval.id) !== approval.id) return false;
    approvals.push(approval);
    return true;
  };
  const given = Math.min(JUDGEMENT_COST, call.left);
  const allowance = { left: given };
  const verdict = judge(policies, attempt, tx.now, { isApproved, allowance });
  const watching = verdict.verdict === "allow" ? shadowed(policies, attempt, tx.now, allowance) : [];
  call.left -= given - allowance.left;
  if (verdict.verdict === "error") return failed(tx, verdict.ruleId);
  if (verdict.verdict === "deny") return blocked(tx, verdict);
  if (verdict.verdict === "require_approval") return requested(tx, verdict, digest, run, nanos);
  return onceAccepted(tx, approvals, watching);
}

/** Only a run that every other check lets pass as well uses its approvals up. */
function onceAccepted(
  tx: Tx,
  approvals: readonly ApprovalRow[],
  watching: readonly PolicyRule[],
): (() => void) | null {
  if (approvals.length === 0 && watching.length === 0) return null;
  return () => {
    for (const approval of approvals) saveApproval(tx.sql, { ...approval, status: "used", used_at: tx.now });
    for (const { id, effect } of watching) {
      tx.record({ action: "policy.shadow_matched", target: id, outcome: "done", detail: { effect } });
    }
  };
}

function failed(tx: Tx, ruleId: string): Refusal<Code> {
  staying(tx, () => tx.record({ action: "policy.failed", target: ruleId, outcome: "refused" }));
  return refuse("policy_expression_error", { rule_id: ruleId });
}

function blocked(tx: Tx, { ruleId, reason, attempted }: Ruled): Refusal<Code> {
  const details = { reason, attempted, rule_id: ruleId };
  staying(tx, () => {
    tx.record({ action: "policy.blocked", target: ruleId, outcome: "refused", detail: { attempted } });
    tx.emit("policy.blocked", details);
  });
  return refuse("policy_blocked", details);
}

/** The refusal is the request: the same attempt finds the approval that is already waiting. */
function requested(
  tx: Tx,
  { ruleId, reason, attempted }: Ruled,
  digest: string,
  run: Checked,
  nanos: bigint,
): Refusal<Code> {
  const details = { reason, attempted, rule_id: ruleId };
  const waiting = findApproval(tx.sql, ruleId, digest, "pending");
  const approval: ApprovalRow = waiting ?? {
    id: newId("apr", tx.now),
    rule_id: ruleId,
    digest,
    status: "pending",
    reason,
    attempted,
    attempt: JSON.stringify({
      model: run.model,
      action: run.action ?? null,
      customer_id: run.customer_id ?? null,
      cost_usd: formatUsd(nanos),
      input_tokens: run.usage.input_tokens,
      output_tokens: run.usage.output_tokens,
    }),
    requested_by: tx.actor.id,
    requested_at: tx.now,
    expires_at: tx.now + PENDING_MS,
    decided_by: null,
    decided_at: null,
    used_at: null,
  };
  const answer = { ...details, approval_id: approval.id };
  staying(tx, () => {
    tx.record({
      action: "policy.approval_required",
      target: ruleId,
      outcome: "refused",
      detail: { approval_id: approval.id, attempted },
    });
    if (waiting !== null) return;
    saveApproval(tx.sql, approval);
    tx.schedule(APPROVAL_EXPIRY, approval.id, approval.expires_at);
    tx.emit("policy.approval_requested", answer);
  });
  return refuse("policy_approval_required", answer);
}
