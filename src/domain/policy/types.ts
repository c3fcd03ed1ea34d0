import { Misuse } from "./check.ts";
import { type Expr, language } from "./language.ts";
import { BOOL, CONSTANTS, DYN, plainType, type Type, VARIABLE_TYPES } from "./variables.ts";

type Scope = Readonly<Record<string, Type>>;
type ExprOf<C extends Expr["exprKind"]["case"]> =
  Extract<Expr["exprKind"], { case: C }> extends { value: infer V } ? V : never;

const NUMBERS: ReadonlySet<string> = new Set(["int", "uint", "double"]);

/**
 * Refuses expressions that can never have the right type: comparing a text with a number, an unknown field, an index of
 * the wrong type. Applies to new rules only; stored rules stay in force. The expression has already passed `check`:
 * names and functions exist, and its size is allowed.
 */
export function checkTypes(expr: Expr): void {
  const { name } = typeOf(expr, VARIABLE_TYPES);
  if (name !== "bool" && name !== "dyn") throw new Misuse(expr.id, `must be a bool, but is ${name}`);
}

function typeOf(expr: Expr, scope: Scope): Type {
  const kind = expr.exprKind;
  switch (kind.case) {
    case "constExpr":
      return plainType(CONSTANTS[kind.value.constantKind.case ?? ""] ?? "dyn");
    case "identExpr":
      return Object.hasOwn(scope, kind.value.name) ? (scope[kind.value.name] ?? DYN) : plainType("type");
    case "selectExpr":
      return selectType(expr.id, kind.value, scope);
    case "listExpr":
      return { name: "list", of: common(kind.value.elements.map((element) => typeOf(element, scope))) };
    case "structExpr":
      return { name: "map", of: common(kind.value.entries.map(({ value }) => optional(value, scope))) };
    case "callExpr":
      return callType(expr.id, kind.value, scope);
    case "comprehensionExpr":
      return loopType(kind.value, scope);
    case undefined:
    default:
      return DYN;
  }
}

function optional(expr: Expr | undefined, scope: Scope): Type {
  return expr === undefined ? DYN : typeOf(expr, scope);
}

/** The common type, or unknown. */
function common(types: readonly Type[]): Type {
  const [first = DYN] = types;
  return types.every(({ name }) => name === first.name) ? first : DYN;
}

function selectType(id: bigint, { operand, field, testOnly }: ExprOf<"selectExpr">, scope: Scope): Type {
  const type = optional(operand, scope);
  if (type.name !== "map" && type.name !== "dyn") {
    throw new Misuse(id, `a ${type.name} has no field '${field}'`);
  }
  const { fields = {} } = type;
  const isKnown = Object.hasOwn(fields, field);
  if (!isKnown && type.isClosed === true) {
    throw new Misuse(id, `unknown field '${field}'; known fields are ${Object.keys(fields).join(", ")}`);
  }
  if (testOnly) return BOOL;
  return (isKnown ? fields[field] : type.of) ?? DYN;
}

function loopType(loop: ExprOf<"comprehensionExpr">, scope: Scope): Type {
  const range = optional(loop.iterRange, scope);
  const item = range.name === "list" ? (range.of ?? DYN) : DYN;
  const inner = {
    ...scope,
    [loop.iterVar]: item,
    [loop.accuVar]: { ...optional(loop.accuInit, scope), of: DYN },
  };
  optional(loop.loopCondition, inner);
  optional(loop.loopStep, inner);
  return optional(loop.result, inner);
}

function callType(id: bigint, call: ExprOf<"callExpr">, scope: Scope): Type {
  const args = [...(call.target ? [call.target] : []), ...call.args].map((arg) => typeOf(arg, scope));
  const [left = DYN, right = DYN, third = DYN] = args;
  switch (call.function) {
    case "_&&_":
    case "_||_":
      for (const arg of args) expect(id, arg, ["bool"]);
      return BOOL;
    case "_?_:_":
      expect(id, left, ["bool"]);
      return common([right, third]);
    case "@not_strictly_false":
      return BOOL;
    case "_[_]":
      expect(id, left, ["list", "map"]);
      if (left.name === "list") expect(id, right, [...NUMBERS]);
      if (left.fields !== undefined) expect(id, right, ["string"]);
      return left.of ?? DYN;
    case "_==_":
    case "_!=_":
      compare(id, left, right);
      return BOOL;
    case "@in":
      if (right.name === "list" && right.of) compare(id, left, right.of);
      return overloadType(id, call, args);
    default:
      return overloadType(id, call, args);
  }
}

function expect(id: bigint, type: Type, wanted: readonly string[]): void {
  if (type.name === "dyn" || wanted.includes(type.name)) return;
  throw new Misuse(id, `expected ${wanted.join(" or ")}, found ${type.name}`);
}

/** Values of these two types are never equal, so the comparison is a mistake. */
function compare(id: bigint, left: Type, right: Type): void {
  const isSame = left.name === right.name || (NUMBERS.has(left.name) && NUMBERS.has(right.name));
  if (isSame || left.name === "dyn" || right.name === "dyn") return;
  throw new Misuse(id, `values of type ${left.name} and ${right.name} are never equal`);
}

function overloadType(id: bigint, call: ExprOf<"callExpr">, args: readonly Type[]): Type {
  const fitting = [...(language().funcs.find(call.function) ?? [])].filter((overload) => {
    const wanted = [...(overload.target ? [overload.target] : []), ...overload.arguments];
    const isMethod = overload.target !== undefined;
    return (
      isMethod === (call.target !== undefined) &&
      wanted.length === args.length &&
      wanted.every(({ name }, at) => name === "dyn" || args[at]?.name === "dyn" || args[at]?.name === name)
    );
  });
  if (fitting.length === 0) {
    throw new Misuse(id, `'${call.function}' does not take (${args.map(({ name }) => name).join(", ")})`);
  }
  const [first = "dyn", ...others] = new Set(fitting.map((overload) => overload.result.name));
  return others.length === 0 ? plainType(first) : DYN;
}
