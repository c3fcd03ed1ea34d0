import { type Expr, TURN, WEIGH } from "./language.ts";

/** Operators that the evaluator runs itself, without passing their operands to a function. */
const BUILT_IN = new Set(["_&&_", "_||_", "_?_:_", "_[_]", "@not_strictly_false"]);

/** Variables of at most 200 characters, by the contract of a run. A loop variable cannot have their names. */
const SHORT = new Set(["model", "action", "customer_id", "now"]);
const SHORT_COST = 8;

/** A call with a time zone creates a formatter for it. */
const ZONED_CALL_COST = 500;

/**
 * Rewrites an expression so that it is metered: each loop iteration pays for the operations in its body, each function
 * for the size of its arguments. The evaluator itself has no limit.
 */
export function meteredExpr(expr: Expr): Expr {
  const kind = expr.exprKind;
  switch (kind.case) {
    case "selectExpr": {
      const { operand } = kind.value;
      return operand
        ? withKind(expr, { ...kind, value: { ...kind.value, operand: meteredExpr(operand) } })
        : expr;
    }
    case "listExpr":
      return withKind(expr, {
        ...kind,
        value: { ...kind.value, elements: kind.value.elements.map((element) => meteredExpr(element)) },
      });
    case "structExpr":
      return withKind(expr, {
        ...kind,
        value: { ...kind.value, entries: kind.value.entries.map(meteredEntry) },
      });
    case "callExpr": {
      const { target, args } = kind.value;
      const operand = BUILT_IN.has(kind.value.function) ? meteredExpr : weighed;
      return withKind(expr, {
        ...kind,
        value: {
          ...kind.value,
          ...(target && { target: operand(target) }),
          args: args.map((arg) => operand(arg)),
        },
      });
    }
    case "comprehensionExpr":
      return withKind(expr, { ...kind, value: meteredLoop(kind.value) });
    case "constExpr":
    case "identExpr":
    case undefined:
    default:
      return expr;
  }
}

type Loop = Extract<Expr["exprKind"], { case: "comprehensionExpr" }>["value"];
type StructEntry = Extract<Expr["exprKind"], { case: "structExpr" }>["value"]["entries"][number];

function meteredLoop(loop: Loop): Loop {
  const { iterRange, accuInit, loopCondition, loopStep, result } = loop;
  if (!iterRange || !accuInit || !loopCondition || !loopStep || !result) return loop;
  const turn = costOf(loopCondition) + costOf(loopStep);
  return {
    ...loop,
    iterRange: weighed(iterRange),
    accuInit: meteredExpr(accuInit),
    loopCondition: call(TURN, loopCondition.id, [
      integer(turn, loopCondition.id),
      meteredExpr(loopCondition),
    ]),
    loopStep: meteredExpr(loopStep),
    result: meteredExpr(result),
  };
}

function meteredEntry(entry: StructEntry): StructEntry {
  const { keyKind, value } = entry;
  return {
    ...entry,
    keyKind: keyKind.case === "mapKey" ? { case: "mapKey", value: meteredExpr(keyKind.value) } : keyKind,
    ...(value && { value: meteredExpr(value) }),
  };
}

/** `costOf` already includes values of known size: constants and short variables. */
function weighed(expr: Expr): Expr {
  const { exprKind: kind } = expr;
  const isKnown = kind.case === "constExpr" || (kind.case === "identExpr" && SHORT.has(kind.value.name));
  return isKnown ? expr : call(WEIGH, expr.id, [meteredExpr(expr)]);
}

/** The maximum cost of one pass over an expression. Loops within it pay for themselves. */
export function costOf(expr: Expr): number {
  const kind = expr.exprKind;
  switch (kind.case) {
    case "constExpr": {
      const { value } = kind.value.constantKind;
      return 1 + (typeof value === "string" || value instanceof Uint8Array ? value.length : 0);
    }
    case "selectExpr":
      return 1 + sum([kind.value.operand]);
    case "listExpr":
      return 1 + sum(kind.value.elements);
    case "structExpr":
      return (
        1 +
        sum(kind.value.entries.map((entry) => entry.value)) +
        sum(kind.value.entries.map(({ keyKind }) => (keyKind.case === "mapKey" ? keyKind.value : undefined)))
      );
    case "callExpr": {
      const zoned = kind.value.function.startsWith("get") && kind.value.args.length > 0;
      return 1 + (zoned ? ZONED_CALL_COST : 0) + sum([kind.value.target, ...kind.value.args]);
    }
    case "comprehensionExpr":
      return 1 + sum([kind.value.iterRange, kind.value.accuInit, kind.value.result]);
    case "identExpr":
      return SHORT.has(kind.value.name) ? SHORT_COST : 1;
    case undefined:
    default:
      return 1;
  }
}

function sum(parts: readonly (Expr | undefined)[]): number {
  return parts.reduce((total, part) => total + (part ? costOf(part) : 0), 0);
}

function withKind(expr: Expr, exprKind: Expr["exprKind"]): Expr {
  return { ...expr, exprKind };
}

function call(name: string, id: bigint, args: Expr[]): Expr {
  return {
    $typeName: "cel.expr.Expr",
    id,
    exprKind: { case: "callExpr", value: { $typeName: "cel.expr.Expr.Call", function: name, args } },
  };
}

function integer(value: number, id: bigint): Expr {
  return {
    $typeName: "cel.expr.Expr",
    id,
    exprKind: {
      case: "constExpr",
      value: {
        $typeName: "cel.expr.Constant",
        constantKind: { case: "int64Value", value: BigInt(value) },
      },
    },
  };
}
