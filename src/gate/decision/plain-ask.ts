import { isCallerId, MODEL_NAME_MOST_CHARACTERS } from "../../contract/bounds.ts";
import { DECISION, DECISION_FIELDS, ESTIMATE_FIELDS, leastOutputProblem } from "../../contract/decision.ts";
import { MOST_UNITS, PRICE_NAME } from "../../contract/token-classes.ts";
import { isUsd } from "../../domain/price/money.ts";
import type { DecisionAsk } from "./ask.ts";

/**
 * A body that is certainly a valid decision. Hand-written for speed: it accepts only what the operation's schema would
 * accept unchanged. Null leaves it to the schema, which also explains errors.
 */
export function plainAsk(text: string): DecisionAsk | null {
  if (!isPlainText(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && hasOnly(FIELDS, value) && value["estimate"] !== undefined
      ? (value as unknown as DecisionAsk)
      : null;
  } catch {
    return null;
  }
}

/** The body, its estimate and the units in it: a fourth brace is nesting that the schema does not have, or is inside a string. */
const MOST_OBJECTS = 3;
/** Arrays, escapes of characters, and what is not ASCII. */
const NOT_PLAIN = /[[\x80-\uffff]|\\u/;

/**
 * If a field is sent twice, the parser shows only the last one. So problems in a hidden value (depth, half a surrogate
 * pair, invalid UTF-8) are searched in the text.
 */
function isPlainText(text: string): boolean {
  let at = -1;
  for (let seen = 0; seen <= MOST_OBJECTS; seen += 1) {
    at = text.indexOf("{", at + 1);
    if (at < 0) break;
  }
  return at < 0 && !NOT_PLAIN.test(text);
}

type Body = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const CHECKS = {
  id: (value) => typeof value === "string" && isCallerId(value),
  model: (value) =>
    typeof value === "string" && value.length > 0 && value.length <= MODEL_NAME_MOST_CHARACTERS,
  estimate: (value) => isObject(value) && hasOnly(ESTIMATE, value) && leastOutputProblem(value) === null,
  seconds: (value) => isWhole(value, DECISION.holdSeconds),
  flag: (value) => typeof value === "boolean",
  usd: (value) => typeof value === "string" && isUsd(value),
  tokens: (value) => isWhole(value, DECISION.tokens),
  someTokens: (value) => isWhole(value, DECISION.someTokens),
  units: (value) => isObject(value) && areUnits(value),
} satisfies Record<string, Check>;

const FIELDS = checksOf(DECISION_FIELDS);
const ESTIMATE = checksOf(ESTIMATE_FIELDS);

function checksOf(fields: Readonly<Record<string, keyof typeof CHECKS>>): ReadonlyMap<string, Check> {
  return new Map(Object.entries(fields).map(([name, kind]) => [name, CHECKS[kind]]));
}

function hasOnly(checks: ReadonlyMap<string, Check>, value: Body): boolean {
  for (const name in value) if (checks.get(name)?.(value[name]) !== true) return false;
  return true;
}

function areUnits(value: Body): boolean {
  const names = Object.keys(value);
  return (
    names.length <= MOST_UNITS &&
    names.every((name) => PRICE_NAME.test(name) && isWhole(value[name], DECISION.tokens))
  );
}

/** Arrays do not get this far, because of their bracket. */
function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null;
}

function isWhole(
  value: unknown,
  { least, most }: { readonly least: number; readonly most: number },
): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}
