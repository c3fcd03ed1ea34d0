import { refuse } from "../../contract/refusal.ts";
import type { PolicyRule } from "../../domain/policy.ts";
import { newId } from "../../domain/ulid.ts";
import { command, done, type View } from "../door.ts";
import {
  countRules,
  loadRule,
  policiesChanged,
  removeRule,
  type RuleRow,
  saveRule,
  toRule,
} from "./store.ts";

/** Every run is held against every rule. */
const MOST_RULES = 200;

type NewRule = Omit<PolicyRule, "id">;
type Named = { readonly ruleId: string };
type RuleChange = Named & { readonly [K in keyof NewRule]?: NewRule[K] | undefined };

function current(view: View, input: Named) {
  const row = loadRule(view.sql, input.ruleId);
  return row === null ? null : toRule(row);
}

export const createPolicyRule = command({
  action: "policy_rule.created",
  refuses: ["conflict"],
  run(tx, input: NewRule) {
    if (countRules(tx.sql) >= MOST_RULES) {
      return refuse("conflict", {}, { message: `An organization has at most ${MOST_RULES} policy rules.` });
    }
    const row: RuleRow = { ...input, id: newId("rule", tx.now), created_at: tx.now, updated_at: tx.now };
    saveRule(tx.sql, row);
    policiesChanged(tx.sql);
    return done(201, toRule(row), { target: row.id, detail: input });
  },
});

export const changePolicyRule = command({
  action: "policy_rule.updated",
  refuses: ["not_found", "conflict"],
  current,
  run(tx, input: RuleChange) {
    const before = loadRule(tx.sql, input.ruleId);
    if (before === null) return refuse("not_found");
    const { ruleId, ...change } = input;
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
  refuses: ["not_found", "conflict"],
  current,
  run(tx, input: Named) {
    if (loadRule(tx.sql, input.ruleId) === null) return refuse("not_found");
    removeRule(tx.sql, input.ruleId);
    policiesChanged(tx.sql);
    return done(204, null, { target: input.ruleId });
  },
});
