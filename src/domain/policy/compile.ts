import { isCelError, parse, plan } from "@bufbuild/cel";
import { sizeProblem, tooLarge } from "../linear/pattern.ts";
import type { Attempt } from "./attempt.ts";
import { bind, type Bindings } from "./bindings.ts";
import { check, type CheckedExpression, Misuse } from "./check.ts";
import { type Expr, language, evaluateMetered } from "./language.ts";
import { costOf, meteredExpr } from "./cost.ts";
import { checkTypes } from "./types.ts";

const LONGEST_EXPRESSION = 4_096;
/** The parser recurses once per open bracket. */
const DEEPEST_BRACKETS = 100;
/**
 * The maximum cost of one evaluation. An operation, a character and an element are one unit each, about a microsecond.
 */
const BUDGET = 20_000;

/** The shared allowance of several evaluations. */
export type Allowance = { left: number };

/** The facts that rules are evaluated for. They are bound once for all rules. */
export type Facts = { readonly attempt: Attempt; readonly now: number; bindings?: Bindings };
type MatchResult = { matched: boolean } | { failed: string };
/** `size`: the total size of its patterns. */
type CompiledRule = { evaluate: (facts: Facts, allowance: Allowance) => MatchResult; size: number };
export type CompileResult = CompiledRule | { problem: string };

/** The maximum total size of one rule's patterns. */
const LARGEST_RULE = 2_000;

/** Compiles a new rule. It must satisfy bounds and type checks that a stored rule need not. */
export function compileNew(source: string): CompileResult {
  return compile(source, (expr, checked) => {
    checkTypes(expr);
    const problem = [...checked.patterns.values()].map((pattern) => sizeProblem(pattern)).find(Boolean);
    if (problem !== undefined) throw new Misuse(expr.id, problem);
    const size = sizeOf(checked);
    if (size > LARGEST_RULE)
      throw new Misuse(expr.id, tooLarge("the patterns of a rule together", size, LARGEST_RULE));
  });
}

function sizeOf({ patterns }: Pick<CheckedExpression, "patterns">): number {
  return [...patterns.values()].reduce((sum, { size }) => sum + size, 0);
}

/** A problem includes its position: `line 1, column 12: …`. A compiled expression always ends within its budget. */
export function compile(
  source: string,
  demand: (expr: Expr, checked: CheckedExpression) => void = () => undefined,
): CompileResult {
  const tooBig = bounded(source);
  if (tooBig) return tooBig;
  let expr: Expr | undefined;
  let positions: Readonly<Record<string, number>> = {};
  try {
    const parsed = parse(source);
    expr = parsed.expr;
    positions = parsed.sourceInfo?.positions ?? {};
  } catch (error) {
    return { problem: parseProblem(error) };
  }
  if (!expr) return { problem: "line 1, column 1: an expression is required" };
  try {
    const checked = check(expr);
    const { type, patterns } = checked;
    demand(expr, checked);
    if (type !== "bool" && type !== "dyn") throw new Misuse(expr.id, `must be a bool, but is ${type}`);
    const cost = costOf(expr);
    const run = plan(language(), meteredExpr(expr));
    return {
      size: sizeOf(checked),
      evaluate(facts, allowance) {
        facts.bindings ??= bind(facts.attempt, facts.now);
        const left = Math.min(BUDGET, allowance.left) - cost;
        const meter = { left, over: left < 0, patterns };
        const matched = evaluate(run, meter, facts.bindings);
        allowance.left -= cost + left - meter.left;
        return matched;
      },
    };
  } catch (error) {
    if (error instanceof Misuse) {
      return { problem: `${place(source, positions[error.at.toString()] ?? 0)}: ${error.message}` };
    }
    return { problem: `line 1, column 1: ${error instanceof Error ? error.message : "does not compile"}` };
  }
}

function evaluate(
  run: ReturnType<typeof plan>,
  meter: Parameters<typeof evaluateMetered>[0],
  bindings: Bindings,
): MatchResult {
  const value = evaluateMetered(meter, () => run(bindings));
  if (meter.over) return { failed: "the expression costs too much to evaluate" };
  if (isCelError(value)) return { failed: value.message };
  if (typeof value !== "boolean") return { failed: "the expression is neither true nor false" };
  return { matched: value };
}

function bounded(source: string): { problem: string } | undefined {
  if (source.length > LONGEST_EXPRESSION) {
    return { problem: `${place(source, LONGEST_EXPRESSION)}: at most ${LONGEST_EXPRESSION} characters` };
  }
  let depth = 0;
  for (let offset = 0; offset < source.length; offset++) {
    const char = source.charAt(offset);
    if ("([{".includes(char)) depth += 1;
    else if (")]}".includes(char)) depth -= 1;
    if (depth > DEEPEST_BRACKETS) return { problem: `${place(source, offset)}: brackets nested too deeply` };
  }
  return undefined;
}

/** The parser reports the position as `<input>:line:column:`. */
function parseProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : "does not parse";
  return message.replace(/^<input>:(\d+):(\d+):/, "line $1, column $2:").slice(0, 300);
}

function place(source: string, offset: number): string {
  const before = source.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
