import { celEnv, type CelInput, celList, celMap, isCelError, parse, plan } from "@bufbuild/cel";
import type { Attempt } from "./attempt.ts";
import { rawText } from "../text/raw-json.ts";

export type Bindings = Readonly<Record<string, CelInput>>;

/**
 * Absent texts are empty at the top level. Inside `run` they are absent, which `has()` detects. `metadata` is always a
 * map. Expensive values are built when a rule first needs them, once for all rules.
 */
export function bind(attempt: Attempt, now: number): Bindings {
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
