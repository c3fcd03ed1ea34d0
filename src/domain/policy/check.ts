import { compileLinear, type LinearPattern } from "../linear/pattern.ts";
import { type Expr, language, VARIABLES } from "./language.ts";
import { CONSTANTS } from "./variables.ts";

const MOST_NODES = 600;
const DEEPEST = 40;
const DEEPEST_LOOP = 3;

const TYPE_NAMES = "int uint double bool string bytes list map null_type type".split(" ");

/** Refuses an expression at one of its nodes. */
export class Misuse extends Error {
  override readonly name = "Misuse";
  readonly at: bigint;
  constructor(at: bigint, message: string) {
    super(message);
    this.at = at;
  }
}

type Scope = { names: Readonly<Record<string, string>>; depth: number; loops: number };
export type CheckedExpression = { type: string; nodes: number; patterns: Map<string, LinearPattern> };

/**
 * Bounds an expression's size, resolves its names, functions and operand types as far as they are known, and compiles
 * its patterns. An unknown name (`run.metadata.x`) is `dyn` and checked at evaluation.
 */
export function check(expr: Expr): CheckedExpression {
  const state = { nodes: 0, patterns: new Map<string, LinearPattern>() };
  const type = typeOf(expr, { names: VARIABLES, depth: 1, loops: 0 }, state);
  return { type, ...state };
}

type State = Omit<CheckedExpression, "type">;

function typeOf(expr: Expr, outer: Scope, state: State): string {
  state.nodes += 1;
  if (state.nodes > MOST_NODES) throw new Misuse(expr.id, `more than ${MOST_NODES} operations`);
  if (outer.depth > DEEPEST) throw new Misuse(expr.id, `nested deeper than ${DEEPEST}`);
  const scope = { ...outer, depth: outer.depth + 1 };
  const kind = expr.exprKind;
  switch (kind.case) {
    case "constExpr":
      return CONSTANTS[kind.value.constantKind.case ?? ""] ?? "dyn";
    case "identExpr":
      return nameType(expr.id, kind.value.name, scope);
    case "selectExpr":
      if (kind.value.operand) typeOf(kind.value.operand, scope, state);
      return kind.value.testOnly ? "bool" : "dyn";
    case "listExpr":
      for (const element of kind.value.elements) typeOf(element, scope, state);
      return "list";
    case "structExpr":
      return structType(expr.id, kind.value, scope, state);
    case "callExpr":
      return callType(expr.id, kind.value, scope, state);
    case "comprehensionExpr":
      return loopType(expr.id, kind.value, scope, state);
    case undefined:
    default:
      throw new Misuse(expr.id, "not an expression");
  }
}

function nameType(id: bigint, name: string, scope: Scope): string {
  if (Object.hasOwn(scope.names, name)) return scope.names[name] ?? "dyn";
  if (TYPE_NAMES.includes(name)) return "type";
  throw new Misuse(id, `unknown name '${name}'; known names are ${Object.keys(VARIABLES).join(", ")}`);
}

type ExprOf<C extends Expr["exprKind"]["case"]> =
  Extract<Expr["exprKind"], { case: C }> extends { value: infer V } ? V : never;

function structType(id: bigint, struct: ExprOf<"structExpr">, scope: Scope, state: State): string {
  if (struct.messageName !== "") throw new Misuse(id, `unknown type '${struct.messageName}'`);
  for (const { keyKind, value } of struct.entries) {
    if (keyKind.case === "mapKey") typeOf(keyKind.value, scope, state);
    if (value) typeOf(value, scope, state);
  }
  return "map";
}

function loopType(id: bigint, loop: ExprOf<"comprehensionExpr">, scope: Scope, state: State): string {
  if (scope.loops >= DEEPEST_LOOP) throw new Misuse(id, `loops nested deeper than ${DEEPEST_LOOP}`);
  const { iterRange, accuInit, loopCondition, loopStep, result } = loop;
  if (!iterRange || !accuInit || !loopCondition || !loopStep || !result) throw new Misuse(id, "not a loop");
  if (Object.hasOwn(VARIABLES, loop.iterVar))
    throw new Misuse(id, `'${loop.iterVar}' is the name of a variable`);
  expectType(iterRange, ["list", "map"], scope, state);
  const accumulated = typeOf(accuInit, scope, state);
  const inner = {
    names: { ...scope.names, [loop.iterVar]: "dyn", [loop.accuVar]: accumulated },
    depth: scope.depth,
    loops: scope.loops + 1,
  };
  typeOf(loopCondition, inner, state);
  typeOf(loopStep, inner, state);
  return typeOf(result, inner, state);
}

function expectType(expr: Expr, wanted: readonly string[], scope: Scope, state: State): string {
  const type = typeOf(expr, scope, state);
  if (type === "dyn" || wanted.includes(type)) return type;
  throw new Misuse(expr.id, `expected ${wanted.join(" or ")}, found ${type}`);
}

function callType(id: bigint, call: ExprOf<"callExpr">, scope: Scope, state: State): string {
  const args = call.target ? [call.target, ...call.args] : call.args;
  switch (call.function) {
    case "_&&_":
    case "_||_":
      for (const arg of args) expectType(arg, ["bool"], scope, state);
      return "bool";
    case "@not_strictly_false":
      for (const arg of args) typeOf(arg, scope, state);
      return "bool";
    case "_[_]":
      args.forEach((arg, index) => {
        if (index === 0) expectType(arg, ["list", "map"], scope, state);
        else typeOf(arg, scope, state);
      });
      return "dyn";
    case "_?_:_": {
      const [, yes, no] = args.map((arg, index) =>
        index === 0 ? expectType(arg, ["bool"], scope, state) : typeOf(arg, scope, state),
      );
      return yes === no ? (yes ?? "dyn") : "dyn";
    }
    case "matches":
      notePattern(id, call, state);
      break;
    default:
      break;
  }
  return overloadType(id, call, scope, state);
}

/** A pattern must be known when the rule is written, so that it can be validated and priced. */
function notePattern(id: bigint, call: ExprOf<"callExpr">, state: State): void {
  const arg = call.args[0]?.exprKind;
  const constant = arg?.case === "constExpr" ? arg.value.constantKind : undefined;
  if (constant?.case !== "stringValue")
    throw new Misuse(id, "the pattern of matches() must be a string literal");
  const pattern = compileLinear(constant.value);
  if ("problem" in pattern) throw new Misuse(call.args[0]?.id ?? id, pattern.problem);
  state.patterns.set(constant.value, pattern);
}

function overloadType(id: bigint, call: ExprOf<"callExpr">, scope: Scope, state: State): string {
  const group = language().funcs.find(call.function);
  if (!group || (call.function.startsWith("@") && call.function !== "@in")) {
    throw new Misuse(id, `unknown function '${call.function}'`);
  }
  const target = call.target && typeOf(call.target, scope, state);
  const args = call.args.map((arg) => typeOf(arg, scope, state));
  const fitting = [...group].filter(
    (overload) =>
      (overload.target === undefined) === (target === undefined) &&
      fits(target, overload.target?.name) &&
      overload.arguments.length === args.length &&
      overload.arguments.every((wanted, index) => fits(args[index], wanted.name)),
  );
  if (fitting.length === 0) {
    const given = [...(target === undefined ? [] : [target]), ...args].join(", ");
    throw new Misuse(id, `'${call.function}' does not take (${given})`);
  }
  const results = new Set(fitting.map((overload) => overload.result.name));
  return results.size === 1 ? ([...results][0] ?? "dyn") : "dyn";
}

function fits(given: string | undefined, wanted: string | undefined): boolean {
  return given === wanted || given === "dyn" || wanted === "dyn";
}
