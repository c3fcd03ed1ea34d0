import type { Attempt } from "./attempt.ts";
import type { Allowance, CompileResult, Facts } from "./compile.ts";
import { EFFECTS, type MODES, type TARGETS } from "../../contract/lists.ts";
import type { StepBudget } from "./step-budget.ts";

export type Target = (typeof TARGETS)[number];
export type Effect = (typeof EFFECTS)[number];

export type PolicyRule = {
  id: string;
  target: Target;
  effect: Effect;
  when: string;
  reason: string;
  priority: number;
  mode: (typeof MODES)[number];
};

type RuleRefusal = { ruleId: string; reason: string; attempted: string };
export type PolicyVerdict =
  | { verdict: "allow"; ruleId?: string; reason?: string }
  | ({ verdict: "deny" } & RuleRefusal)
  | ({ verdict: "require_approval" } & RuleRefusal)
  | { verdict: "error"; ruleId: string; message: string };

/** The result of each rule, for the dry run. */
export type RuleResult = {
  rule: PolicyRule;
  result: "matched" | "not_matched" | "not_applicable" | "error";
  message?: string;
};

/** The maximum cost of all rules for one run, in units of the evaluator. */
const JUDGEMENT_COST = 200_000;
/** A unit is an operation on any values. A step of work is only a table lookup, so one unit equals this many steps. */
const STEPS_PER_UNIT = 70;

/** Evaluates within the work that the run's other checks have left, and deducts what it used. */
export function withAllowance<T>(stepBudget: StepBudget, judging: (allowance: Allowance) => T): T {
  const given = Math.max(Math.min(JUDGEMENT_COST, Math.floor(stepBudget.left / STEPS_PER_UNIT)), 0);
  const allowance = { left: given };
  const result = judging(allowance);
  stepBudget.left -= (given - allowance.left) * STEPS_PER_UNIT;
  return result;
}

export type PolicySet = readonly { rule: PolicyRule; compiled: CompileResult }[];

/** Compiles each rule once, in the order of decision: more restrictive effects first, then higher priority. */
export function policySet(
  rules: readonly PolicyRule[],
  compile: (source: string) => CompileResult,
): PolicySet {
  return [...rules].sort(byWeight).map((rule) => ({ rule, compiled: compile(rule.when) }));
}

function byWeight(left: PolicyRule, right: PolicyRule): number {
  return (
    EFFECTS.indexOf(left.effect) - EFFECTS.indexOf(right.effect) ||
    right.priority - left.priority ||
    (left.id < right.id ? -1 : 1)
  );
}

type JudgeOptions = { isApproved?: (ruleId: string) => boolean; allowance?: Allowance };

/**
 * The first enforced rule that matches decides. If none matches, the run is allowed. If a rule fails that might have
 * decided, the evaluation ends: a run is never allowed past a rule that could not be evaluated. An approval lifts only
 * its own rule.
 */
export function judge(
  set: PolicySet,
  attempt: Attempt,
  now: number,
  { isApproved, allowance = { left: JUDGEMENT_COST } }: JudgeOptions = {},
): PolicyVerdict {
  if (set.length === 0) return { verdict: "allow" };
  const facts = { attempt, now };
  for (const { rule, compiled } of set) {
    if (rule.mode === "shadow") continue;
    const { result, message } = apply(rule, compiled, { facts, allowance });
    if (result === "error") return { verdict: "error", ruleId: rule.id, message: message ?? "" };
    if (result !== "matched") continue;
    if (rule.effect !== "require_approval" || isApproved?.(rule.id) !== true) return ruled(rule, attempt);
  }
  return { verdict: "allow" };
}

/** The same verdict with the result of every rule. Shadow rules appear only here. */
export function explain(
  set: PolicySet,
  attempt: Attempt,
  now: number,
): { verdict: PolicyVerdict; results: RuleResult[] } {
  const facts = { attempt, now };
  const allowance = { left: JUDGEMENT_COST };
  const results = set.map(({ rule, compiled }) => ({
    rule,
    ...apply(rule, compiled, { facts, allowance }),
  }));
  return { verdict: judge(set, attempt, now), results };
}

/** The shadow rules that would have stopped a run, and those that failed. */
export type Shadows = { readonly matched: readonly PolicyRule[]; readonly failed: readonly PolicyRule[] };

export const NO_SHADOWS: Shadows = { matched: [], failed: [] };

export function judgeShadowRules(
  set: PolicySet,
  attempt: Attempt,
  now: number,
  allowance: Allowance = { left: JUDGEMENT_COST },
): Shadows {
  const watching = set.filter(({ rule }) => rule.mode === "shadow" && rule.effect !== "allow");
  if (watching.length === 0) return NO_SHADOWS;
  const facts = { attempt, now };
  const results = watching.map(({ rule, compiled }) => ({
    rule,
    result: apply(rule, compiled, { facts, allowance }).result,
  }));
  const those = (wanted: RuleResult["result"]) =>
    results.filter(({ result }) => result === wanted).map(({ rule }) => rule);
  return { matched: those("matched"), failed: those("error") };
}

function apply(
  rule: PolicyRule,
  compiled: CompileResult,
  { facts, allowance }: { readonly facts: Facts; readonly allowance: Allowance },
): { result: RuleResult["result"]; message?: string } {
  if (attempted(rule, facts.attempt) === undefined) return { result: "not_applicable" };
  if ("problem" in compiled) return { result: "error", message: compiled.problem };
  const outcome = compiled.evaluate(facts, allowance);
  if ("failed" in outcome) return { result: "error", message: outcome.failed };
  return { result: outcome.matched ? "matched" : "not_matched" };
}

/** A rule about actions does not apply to a run without an action. */
function attempted(rule: PolicyRule, attempt: Attempt): string | undefined {
  return rule.target === "model" ? attempt.model : attempt.action;
}

function ruled(rule: PolicyRule, attempt: Attempt): PolicyVerdict {
  if (rule.effect === "allow") return { verdict: "allow", ruleId: rule.id, reason: rule.reason };
  return {
    verdict: rule.effect,
    ruleId: rule.id,
    reason: rule.reason,
    attempted: attempted(rule, attempt) ?? attempt.model,
  };
}
