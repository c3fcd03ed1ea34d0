import { rawText } from "./raw-json.ts";
import { celEnv, type CelInput, celList, celMap, isCelError, parse, plan } from "@bufbuild/cel";
import { type Allowance, type Bindings, compile, type CompileResult } from "./policy-compile.ts";
import { EFFECTS, type MODES, type TARGETS } from "../contract/lists.ts";
import type { Work } from "./work.ts";

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

/** What a rule can read of a run. It excludes `input`, so that no verdict, event or audit entry can contain it. */
export type Attempt = {
  model: string;
  action?: string | undefined;
  customer_id?: string | undefined;
  run: Readonly<Record<string, unknown>>;
  estimate: { costUsd: number; inputTokens: number; maxOutputTokens: number };
};

type Ruled = { ruleId: string; reason: string; attempted: string };
export type PolicyVerdict =
  | { verdict: "allow"; ruleId?: string; reason?: string }
  | ({ verdict: "deny" } & Ruled)
  | ({ verdict: "require_approval" } & Ruled)
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
export function withAllowance<T>(work: Work, judging: (allowance: Allowance) => T): T {
  const given = Math.max(Math.min(JUDGEMENT_COST, Math.floor(work.left / STEPS_PER_UNIT)), 0);
  const allowance = { left: given };
  const result = judging(allowance);
  work.left -= (given - allowance.left) * STEPS_PER_UNIT;
  return result;
}

export type PolicySet = readonly { rule: PolicyRule; compiled: CompileResult }[];

/** Compiles each rule once, in the order of decision: more restrictive effects first, then higher priority. */
export function policySet(rules: readonly PolicyRule[]): PolicySet {
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
  const bindings = bind(attempt, now);
  for (const { rule, compiled } of set) {
    if (rule.mode === "shadow") continue;
    const { result, message } = apply(rule, compiled, { attempt, bindings, allowance });
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
  const bindings = bind(attempt, now);
  const allowance = { left: JUDGEMENT_COST };
  const results = set.map(({ rule, compiled }) => ({
    rule,
    ...apply(rule, compiled, { attempt, bindings, allowance }),
  }));
  return { verdict: judge(set, attempt, now), results };
}

/** The shadow rules that would have stopped a run, and those that failed. */
export type Shadows = { readonly matched: readonly PolicyRule[]; readonly failed: readonly PolicyRule[] };

export const NO_SHADOWS: Shadows = { matched: [], failed: [] };

export function shadowed(
  set: PolicySet,
  attempt: Attempt,
  now: number,
  allowance: Allowance = { left: JUDGEMENT_COST },
): Shadows {
  const watching = set.filter(({ rule }) => rule.mode === "shadow" && rule.effect !== "allow");
  if (watching.length === 0) return NO_SHADOWS;
  const bindings = bind(attempt, now);
  const results = watching.map(({ rule, compiled }) => ({
    rule,
    result: apply(rule, compiled, { attempt, bindings, allowance }).result,
  }));
  const those = (wanted: RuleResult["result"]) =>
    results.filter(({ result }) => result === wanted).map(({ rule }) => rule);
  return { matched: those("matched"), failed: those("error") };
}

function apply(
  rule: PolicyRule,
  compiled: CompileResult,
  {
    attempt,
    bindings,
    allowance,
  }: { readonly attempt: Attempt; readonly bindings: Bindings; readonly allowance: Allowance },
): { result: RuleResult["result"]; message?: string } {
  if (attempted(rule, attempt) === undefined) return { result: "not_applicable" };
  if ("problem" in compiled) return { result: "error", message: compiled.problem };
  const outcome = compiled.evaluate(bindings, allowance);
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

/**
 * Absent texts are empty at the top level. Inside `run` they are absent, which `has()` detects. `metadata` is always a
 * map. Expensive values are built when a rule first needs them, once for all rules.
 */
function bind(attempt: Attempt, now: number): Bindings {
  const { estimate } = attempt;
  const run = once(() => runMap(attempt.run));
  const moment = once(() => timestampOf(now));
  const amounts = once(() =>
    celMap(
      new Map<string, CelInput>([
        ["cost_usd", estimate.costUsd],
        ["input_tokens", BigInt(estimate.inputTokens)],
        ["max_output_tokens", BigInt(estimate.maxOutputTokens)],
      ]),
    ),
  );
  return {
    model: attempt.model,
    action: attempt.action ?? "",
    customer_id: attempt.customer_id ?? "",
    get run() {
      return run();
    },
    get estimate() {
      return amounts();
    },
    get now() {
      return moment();
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const timestampFrom = once(() => plan(celEnv(), parse("timestamp(text)")));

/** A value in the evaluator's own type, so that it is not converted at each use. */
function timestampOf(now: number): CelInput {
  const value = timestampFrom()({ text: new Date(now).toISOString() });
  if (isCelError(value)) throw value;
  return value;
}

/**
 * JSON as CEL values. Maps are built here and not by the library, which misreads an object with a key such as
 * `$typeName` or `constructor`. Integers are `int`, so that tokens compare and add with literals.
 */
function toCelMap(value: object): CelInput {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return celMap(new Map(entries.map(([key, item]) => [key, celInput(item)])));
}

/** A run's cost is a double, even if it is a whole number of dollars. */
function runMap({ cost_usd: cost, ...run }: Attempt["run"]): CelInput {
  const entries = Object.entries({ metadata: {}, ...run }).filter(([, item]) => item !== undefined);
  const values = new Map<string, CelInput>(entries.map(([key, item]) => [key, celInput(item)]));
  if (typeof cost === "number") values.set("cost_usd", cost);
  return celMap(values);
}

function celInput(value: unknown): CelInput {
  if (Array.isArray(value)) return celList(value.map((item) => celInput(item)));
  const number = rawText(value);
  if (number !== null) return Number(number);
  if (typeof value === "object" && value !== null) return toCelMap(value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === "string" || typeof value === "boolean") return value;
  return null;
}
