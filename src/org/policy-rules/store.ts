import type { PolicyRuleResource } from "../../contract/resources/policy-rules.ts";
import { type PolicyRule, type PolicySet, policySet } from "../../domain/policy/policy.ts";
import { compiledOnce } from "../kernel/compile-once.ts";
import { presentRulesEngine } from "../kernel/rules-engine.ts";

export type RuleRow = PolicyRule & { created_at: number; updated_at: number };

export function loadRule(sql: SqlStorage, id: string): RuleRow | null {
  return sql.exec<RuleRow>("SELECT * FROM policy_rules WHERE id = ?", id).toArray()[0] ?? null;
}

export function countRules(sql: SqlStorage): number {
  return sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM policy_rules").one().count;
}

export function saveRule(sql: SqlStorage, row: RuleRow): void {
  sql.exec(
    `INSERT INTO policy_rules (id, target, effect, "when", reason, priority, mode, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET target = excluded.target, effect = excluded.effect, "when" = excluded."when",
       reason = excluded.reason, priority = excluded.priority, mode = excluded.mode, updated_at = excluded.updated_at`,
    row.id,
    row.target,
    row.effect,
    row.when,
    row.reason,
    row.priority,
    row.mode,
    row.created_at,
    row.updated_at,
  );
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
