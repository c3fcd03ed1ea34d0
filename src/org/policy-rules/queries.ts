import type { Attempt } from "../../domain/policy/attempt.ts";
import { explain, type RuleResult } from "../../domain/policy/policy.ts";
import { query } from "../kernel/door.ts";
import { loadPolicies, type RuleRow, ruleNow, toRule } from "./store.ts";
import { searchedIn } from "../../storage/list-rows.ts";
import { readList, readOne } from "../kernel/resource.ts";

export const listPolicyRules = readList(() => ({
  table: "policy_rules",
  sort: { created_at: "created_at", priority: "priority" },
  filters: { target: "target = ?", effect: "effect = ?", mode: "mode = ?" },
  searched: searchedIn(["reason"], ({ reason }: Pick<RuleRow, "reason">) => reason),
  toItem: toRule,
}));

export const getPolicyRule = readOne(ruleNow);

/** A dry run: which rule would decide, and the result of each rule. */
export const evaluatePolicies = query({
  refuses: [],
  run(view, attempt: Attempt) {
    const { verdict, results } = explain(loadPolicies(view), attempt, view.now);
    return {
      decision: verdict.verdict,
      rule_id: verdict.ruleId ?? null,
      reason: "reason" in verdict ? (verdict.reason ?? null) : null,
      attempted: "attempted" in verdict ? verdict.attempted : attempt.model,
      message: verdict.verdict === "error" ? verdict.message : null,
      rules: results.map(toResult),
      evaluated_at: new Date(view.now).toISOString(),
    };
  },
});

function toResult({ rule, result, message }: RuleResult) {
  const { id, effect, mode, priority } = rule;
  return { rule_id: id, effect, mode, priority, result, message: message ?? null };
}
