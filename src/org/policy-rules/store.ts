import type { PolicyRuleResource } from "../../contract/resources/policy-rules.ts";
import { type PolicyRule, type PolicySet, policySet } from "../../domain/policy/policy.ts";
import { compiledOnce } from "../kernel/compile-once.ts";
import { presentRulesEngine } from "../kernel/rules-engine.ts";
import { saveRow } from "../../storage/rows.ts";
import { type View } from "../kernel/door.ts";

export type RuleRow = PolicyRule & { created_at: number; updated_at: number };

export function loadRule(sql: SqlStorage, id: string): RuleRow | null {
  return sql.exec<RuleRow>("SELECT * FROM policy_rules WHERE id = ?", id).toArray()[0] ?? null;
}

export function saveRule(sql: SqlStorage, row: RuleRow): void {
  saveRow(sql, "policy_rules", row);
}

export function removeRule(sql: SqlStorage, id: string): void {
  sql.exec("DELETE FROM policy_rules WHERE id = ?", id);
}

const compiled = compiledOnce<PolicySet>("policies", (sql) => {
  const rules = sql.exec<RuleRow>("SELECT * FROM policy_rules").toArray();
  return rules.length === 0 ? [] : policySet(rules, presentRulesEngine().compile);
});

/** The org's compiled rules. */
export const loadPolicies = compiled.load;
/** Must be called by whatever changes a rule. */
export const policiesChanged = compiled.changed;

export function toRule(row: RuleRow): PolicyRuleResource {
  const { created_at, updated_at, ...rule } = row;
  return {
    ...rule,
    created_at: new Date(created_at).toISOString(),
    updated_at: new Date(updated_at).toISOString(),
  };
}

export type RuleRef = { readonly ruleId: string };

export function ruleNow({ sql }: Pick<View, "sql">, { ruleId }: RuleRef): PolicyRuleResource | null {
  const row = loadRule(sql, ruleId);
  return row === null ? null : toRule(row);
}
