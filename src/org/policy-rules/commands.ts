import { invalidField, type Refusal, refuse } from "../../contract/refusal.ts";
import type { NewPolicyRule, PolicyRuleChange } from "../../contract/resources/policy-rules.ts";
import type { CompileResult } from "../../domain/policy/compile.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { command, done, type Tx } from "../kernel/door.ts";
import { presentRulesEngine } from "../kernel/rules-engine.ts";
import {
  loadPolicies,
  loadRule,
  policiesChanged,
  removeRule,
  type RuleRow,
  saveRule,
  toRule,
  type RuleRef,
  ruleNow,
} from "./store.ts";
import { refuseMore } from "../kernel/resource.ts";
import { countRows } from "../../storage/rows.ts";

/** Every run is checked against every rule. */
const MOST_RULES = 200;
/** The maximum total size of all rules' patterns, because they are compiled whenever the object wakes. */
const LARGEST_SET = 20_000;

/** Refuses an expression that would make all rules' patterns too large together. */
function setProblem(tx: Tx, when: string, replacedId?: string): Refusal<"validation_failed"> | null {
  const { compile, tooLarge } = presentRulesEngine();
  const added = sizeOf(compile(when));
  const others = loadPolicies(tx).filter(({ rule }) => rule.id !== replacedId);
  const size = others.reduce((sum, { compiled }) => sum + sizeOf(compiled), added);
  if (added === 0 || size <= LARGEST_SET) return null;
  return invalidField("when", "too_large", tooLarge("the patterns of all rules together", size, LARGEST_SET));
}

function sizeOf(compiled: CompileResult): number {
  return "size" in compiled ? compiled.size : 0;
}

export const createPolicyRule = command({
  action: "policy_rule.created",
  changesLimits: true,
  refuses: ["conflict", "validation_failed"],
  run(tx, input: NewPolicyRule) {
    if (countRows(tx.sql, "policy_rules") >= MOST_RULES) return refuseMore(MOST_RULES, "policy rules");
    const problem = setProblem(tx, input.when);
    if (problem !== null) return problem;
    const row: RuleRow = { ...input, id: newId("rule", tx.now), created_at: tx.now, updated_at: tx.now };
    saveRule(tx.sql, row);
    policiesChanged(tx.sql);
    return done(201, toRule(row), { target: row.id, detail: input });
  },
});

export const changePolicyRule = command({
  action: "policy_rule.updated",
  changesLimits: true,
  refuses: ["not_found", "conflict", "validation_failed"],
  current: ruleNow,
  run(tx, input: RuleRef & PolicyRuleChange) {
    const before = loadRule(tx.sql, input.ruleId);
    if (before === null) return refuse("not_found");
    const { ruleId, ...change } = input;
    const problem = change.when === undefined ? null : setProblem(tx, change.when, ruleId);
    if (problem !== null) return problem;
    const after: RuleRow = {
      ...before,
      target: change.target ?? before.target,
      effect: change.effect ?? before.effect,
      when: change.when ?? before.when,
      reason: change.reason ?? before.reason,
      priority: change.priority ?? before.priority,
      mode: change.mode ?? before.mode,
      updated_at: tx.now,
    };
    saveRule(tx.sql, after);
    policiesChanged(tx.sql);
    return done(200, toRule(after), { target: ruleId, detail: change });
  },
});

export const deletePolicyRule = command({
  action: "policy_rule.deleted",
  changesLimits: true,
  refuses: ["not_found", "conflict"],
  current: ruleNow,
  run(tx, input: RuleRef) {
    if (loadRule(tx.sql, input.ruleId) === null) return refuse("not_found");
    removeRule(tx.sql, input.ruleId);
    policiesChanged(tx.sql);
    return done(204, null, { target: input.ruleId });
  },
});
