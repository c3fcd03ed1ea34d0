import {
  celEnv,
  celFunc,
  celList,
  celMethod,
  CelScalar,
  isCelList,
  isCelMap,
  listType,
  type parse,
} from "@bufbuild/cel";
import type { LinearPattern } from "../linear/pattern.ts";
import { VARIABLE_TYPES } from "./variables.ts";

/** The variables that a rule can read. The type of `dyn` is known only at evaluation. */
export const VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(VARIABLE_TYPES).map(([variable, { name }]) => [variable, name]),
);

export type Expr = NonNullable<ReturnType<typeof parse>["expr"]>;

/** The work that one evaluation may still do. Once the meter is `over`, no result counts. */
export type Meter = { left: number; over: boolean; patterns: ReadonlyMap<string, LinearPattern> };

/** Charges for the size of its argument. A rule cannot call it, because `@` cannot start an identifier. */
export const WEIGH = "@weigh";
/** Pays for one iteration of a loop, and ends the loop when nothing is left. */
export const TURN = "@turn";

let meter: Meter = { left: 0, over: true, patterns: new Map() };

/** Evaluation is synchronous and never nests, so one meter at a time is the meter of the whole module. */
export function evaluateMetered<T>(next: Meter, evaluate: () => T): T {
  meter = next;
  try {
    return evaluate();
  } finally {
    meter = { left: 0, over: true, patterns: new Map() };
  }
}

function spend(units: number): boolean {
  meter.left -= units;
  if (meter.left < 0) meter.over = true;
  return !meter.over;
}

/** Counts characters, bytes and elements recursively, until the allowance is used up. */
function weight(value: unknown, most: number): number {
  if (typeof value === "string" || value instanceof Uint8Array) return 1 + value.length;
  let total = 1;
  if (isCelList(value)) {
    for (const item of value) {
      total += weight(item, most - total);
      if (total > most) break;
    }
  } else if (isCelMap(value)) {
    for (const [key, item] of value) {
      total += weight(key, most) + weight(item, most - total);
      if (total > most) break;
    }
  }
  return total;
}

class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
}

function pay(units: number): void {
  if (!spend(units)) throw new BudgetSpent("the expression costs too much to evaluate");
}

const { BOOL, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);

/** A matcher builds its states as it reads the text, so the price of a character grows with the program. */
const INSTRUCTIONS_PER_UNIT = 8;
/** The text is already paid for by its length and the program's size, so the matcher has no limit. */
const PAID = { left: Number.POSITIVE_INFINITY };
/** In the worst case, a substring search compares each position with the whole needle. */
const COMPARISONS_PER_UNIT = 16;

/** Built when an org first needs it: most isolates compile no rule. */
export function language(): CelEnv {
  built ??= newLanguage();
  return built;
}

type CelEnv = ReturnType<typeof celEnv>;
let built: CelEnv | undefined;

const newLanguage = (): CelEnv =>
  celEnv({
    funcs: [
      celFunc(WEIGH, [DYN], DYN, (value) => {
        pay(weight(value, Math.max(meter.left, 0)));
        return value;
      }),
      celFunc(TURN, [INT, DYN], DYN, (units, goOn) => (spend(Number(units)) ? goOn : false)),
      celFunc("_+_", [LIST, LIST], LIST, (left, right) => celList([...left, ...right])),
      celMethod("contains", STRING, [STRING], BOOL, function (needle) {
        pay(Math.ceil((this.length * needle.length) / COMPARISONS_PER_UNIT));
        return this.includes(needle);
      }),
      celMethod("matches", STRING, [STRING], BOOL, function (source) {
        const pattern = meter.patterns.get(source);
        if (pattern === undefined) throw new Error("a pattern must be a literal");
        pay(Math.ceil((this.length * pattern.instructions) / INSTRUCTIONS_PER_UNIT));
        return typeof pattern.matcher.find(this, PAID) === "object";
      }),
    ],
  });
