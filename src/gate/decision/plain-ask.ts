import { isCallerId, MODEL_NAME_MOST_CHARACTERS } from "../../contract/bounds.ts";
import { DECISION, DECISION_FIELDS, ESTIMATE_FIELDS, leastOutputProblem } from "../../contract/decision.ts";
import { DECISION_CHECKS, EXPIRY_ACTIONS } from "../../contract/lists.ts";
import { MOST_UNITS, PRICE_NAME } from "../../contract/token-classes.ts";
import { isUsd } from "../../domain/price/money.ts";
import { structureProblem } from "../../domain/text/json-bounds.ts";
import { spellsLoneSurrogate } from "../../domain/text/unicode.ts";
import type { DecisionAsk } from "./ask.ts";

/**
 * A body that is certainly a valid decision. Hand-written for speed: it accepts only what the operation's schema would
 * accept unchanged. Null leaves it to the schema, which also explains errors.
 */
export function plainAsk(text: string): DecisionAsk | null {
  if (!isSoundText(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && hasOnly(FIELDS, value) && value["estimate"] !== undefined
      ? (value as unknown as DecisionAsk)
      : null;
  } catch {
    return null;
  }
}

/** Brackets in a text that is certainly not nested too deeply. */
const FEW_OBJECTS = 3;
/** A decoder puts this character in the place of bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd";

/**
 * If a field is sent twice, the parser shows only the last one. So problems in a hidden value (depth, half a surrogate
 * pair, invalid UTF-8) are searched in the text. A replacement character may have been sent as such: whoever has the bytes
 * knows.
 */
function isSoundText(text: string): boolean {
  if (spellsLoneSurrogate(text) || text.includes(REPLACEMENT)) return false;
  return hasFewBrackets(text) || structureProblem(text) === null;
}

function hasFewBrackets(text: string): boolean {
  if (text.includes("[")) return false;
  let at = -1;
  for (let seen = 0; seen <= FEW_OBJECTS; seen += 1) {
    at = text.indexOf("{", at + 1);
    if (at < 0) return true;
  }
  return false;
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
  checks: (value) => isOneOf(DECISION_CHECKS, value),
  expiry: (value) => isOneOf(EXPIRY_ACTIONS, value),
  anything: () => true,
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

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOneOf(names: readonly string[], value: unknown): boolean {
  return typeof value === "string" && names.includes(value);
}

function isWhole(
  value: unknown,
  { least, most }: { readonly least: number; readonly most: number },
): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}
