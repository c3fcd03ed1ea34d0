import { attemptDigest, attemptOf } from "../../domain/policy/attempt.ts";
import { explain, type RuleResult } from "../../domain/policy/policy.ts";
import { findApproval } from "../approvals/store.ts";
import type { View } from "../kernel/door.ts";
import { loadPolicies } from "../policy-rules/store.ts";
import { ONLY_WITH_ALL, type Subject } from "./subject.ts";
import { type CheckOutcome, type Candidate, NO_AMOUNTS } from "./check.ts";

/** One for each rule, in the order in which rules decide. */
export function policyCandidates(view: View, subject: Subject): Candidate[] {
  const { content, attempt, phase, contentNanos: nanos = attempt.nanos } = subject;
  const policies = loadPolicies(view);
  if (phase === "decision") {
    return policies.map(({ rule }) => candidate(rule.id, rule.reason, { passes: null, why: ONLY_WITH_ALL }));
  }
  if (content === null) {
    return policies.map(({ rule }) =>
      candidate(rule.id, rule.reason, { passes: true, why: "It did not refuse." }),
    );
  }
  if (content.model === undefined) {
    const why = "Rules are about models, and no model is named.";
    return policies.map(({ rule }) => candidate(rule.id, rule.reason, { passes: null, why }));
  }
  const run = { ...content, model: content.model };
  const digest = attemptDigest(run, nanos);
  const isApproved = (ruleId: string): boolean => {
    const approval = findApproval(view.sql, ruleId, digest, "approved");
    return approval !== null && (content.approval_id ?? approval.id) === approval.id;
  };
  const { results } = explain(policies, attemptOf(run, nanos), view.now);
  return results.map((result) => candidate(result.rule.id, result.rule.reason, saidBy(result, isApproved)));
}

function candidate(id: string, reason: string, said: CheckOutcome): Candidate {
  return { check: "policy", id, name: reason, ...said, amounts: NO_AMOUNTS };
}

function saidBy({ rule, result, message }: RuleResult, isApproved: (id: string) => boolean): CheckOutcome {
  const isShadow = rule.mode === "shadow";
  if (result === "error") {
    return { passes: isShadow, why: `The rule could not be evaluated: ${message ?? "unknown error"}.` };
  }
  if (result !== "matched") return { passes: true, why: "The rule does not match." };
  if (rule.effect === "allow") return { passes: true, why: "The rule matches, and allows." };
  if (isShadow) return { passes: true, why: `The rule matches (${rule.effect}), but is in shadow mode.` };
  if (rule.effect === "deny") return { passes: false, why: "The rule matches, and denies." };
  return isApproved(rule.id)
    ? { passes: true, why: "The rule matches, and an approval lifts it." }
    : { passes: false, why: "The rule matches, and requires an approval." };
}
