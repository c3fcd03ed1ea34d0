import { pick, type Random } from "../../../scripts/chaos/random.ts";
import type { Schema } from "../../../scripts/frozen-contract/openapi.ts";

/** Values as callers send them who mean well, who mistake a type, or who try what breaks. */

export const HOSTILE_TEXTS = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "x\udfff",
  "\ufeff",
  "\u202eabc",
  "😀".repeat(65),
  "é",
  "x".repeat(129),
  "x".repeat(2049),
  "x".repeat(70_000),
  "__proto__",
  "constructor",
  "toString",
  "null",
  "NaN",
  "-0",
  "1e400",
  "0.000000001",
  "999999999.999999999",
  "1000000000",
  "-0.01",
  "٣",
  "00:60",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "+275760-09-13T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "2016-12-31T23:59:60Z",
  "1969-12-31T23:59:59Z",
  "2026-13",
  "Africa/Casablanca",
  "Etc/GMT+12",
  "*",
  "**",
  "a*b*c*d*",
  "####",
  "../..",
  "%00",
  "(",
  "(a+)+$",
  "[\\",
  "\\1",
  "true",
  "1/0 > 0",
  "[1][5] == 1",
  "run.metadata.a.b.c == 'x'",
  "size('a') > 9223372036854775807",
  "timestamp('x') > now",
  "https://a:b@[::1]:0/%zz",
  "https://example.com/\u0000",
  "mailto:a@b",
  "a@b.c,d@e.f",
  "=1+1",
  "' OR 1=1 --",
  "eyJhIjoxfQ",
] as const;

const NUMBERS = [
  0,
  -1,
  1,
  0.5,
  1e-7,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e15,
  1e21,
  1e308,
] as const;
const OTHERS = [null, true, false, [], {}, [[]], [null], { a: { b: [] } }] as const;
const WORDS = [
  "a",
  "c1",
  "gpt-4o",
  "claude-sonnet-4-5",
  "openai",
  "user-1",
  "daily",
  "m*",
  "2026-11-19",
] as const;
const AMOUNTS = ["0", "0.01", "1", "25.00", "0.000000001", "999999999"] as const;
const HOUR_MS = 3_600_000;
const HOURS_MS = [
  -9000 * HOUR_MS,
  -800 * HOUR_MS,
  -30 * HOUR_MS,
  -HOUR_MS,
  0,
  HOUR_MS,
  30 * HOUR_MS,
  9000 * HOUR_MS,
] as const;
/** The names of fields with a time. */
const TIMES = /(^|_)(from|to|at|since|until|before|after|day|date)$/;
const MOST_DEPTH = 6;

export function chance(random: Random, share: number): boolean {
  return random() < share;
}

export function hostileText(random: Random): string {
  return pick(random, HOSTILE_TEXTS);
}

/** Any JSON value, of any type. */
export function hostileValue(random: Random): unknown {
  const many = () =>
    Array.from({ length: pick(random, [2, 101, 1001]) }, () => hostileText(random).slice(0, 8));
  return pick<() => unknown>(random, [
    () => hostileText(random),
    () => hostileText(random),
    () => pick(random, NUMBERS),
    () => structuredClone(pick<unknown>(random, OTHERS)),
    many,
    () => Object.fromEntries(many().map((text, at) => [`${text}${at}`, at])),
    () => deep(pick(random, [5, 31, 33, 200])),
  ])();
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Where a value is: the document that describes it, its field, and how deep that is. */
export interface Place {
  readonly resolve: (schema: Schema) => Schema;
  readonly name: string;
  readonly depth?: number;
}

/** A value that a schema describes, often at one of its bounds. */
export function valueOf(random: Random, schema: Schema, place: Place): unknown {
  const { resolve, depth = 0 } = place;
  const { anyOf, oneOf, allOf, ...own } = resolve(schema);
  const inner = (part: Schema, name = place.name) =>
    valueOf(random, part, { resolve, name, depth: depth + 1 });
  const [first, ...rest] = anyOf ?? oneOf ?? [];
  if (first !== undefined) return inner(pick(random, [first, ...rest]));
  if (allOf !== undefined) return Object.assign({}, ...allOf.map((part) => inner(part))) as object;
  if (own.const !== undefined) return own.const;
  const [value, ...values] = own.enum ?? [];
  if (value !== undefined) return pick(random, [value, ...values]);
  switch (typeof own.type === "string" ? own.type : pick(random, ["string", ...(own.type ?? [])])) {
    case "object":
      return objectOf(random, own, inner, depth);
    case "array": {
      const { items, minItems: least = 0 } = own;
      const length = depth > MOST_DEPTH ? least : pick(random, [least, least + 1, 2]);
      return Array.from({ length }, () => (typeof items === "object" ? inner(items) : "a"));
    }
    case "integer":
    case "number":
      return numberOf(random, own);
    case "boolean":
      return chance(random, 0.5);
    case "null":
      return null;
    default:
      return textOf(random, own, place.name);
  }
}

function objectOf(
  random: Random,
  { properties = {}, required = [], additionalProperties: others }: Schema,
  inner: (part: Schema, name: string) => unknown,
  depth: number,
): object {
  const share = depth > MOST_DEPTH ? 0 : 0.3;
  const fields = Object.entries(properties).filter(
    ([name]) => required.includes(name) || chance(random, share),
  );
  const free: [string, Schema][] =
    typeof others === "object" && depth < MOST_DEPTH ? [[pick(random, WORDS), others]] : [];
  return Object.fromEntries([...fields, ...free].map(([name, field]) => [name, inner(field, name)]));
}

function numberOf(random: Random, { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): number {
  const least = minimum ?? (exclusiveMinimum ?? -1) + 1;
  const most = maximum ?? (exclusiveMaximum ?? least + 1001) - 1;
  const between = Math.floor(least + random() * Math.min(most - least, 1000));
  return pick(random, [least, most, between, between, between, least - 1, most + 1]);
}

/** Most formats are said in words alone, so that the name of a field tells what its text should be. */
function textOf(random: Random, { format, minLength = 0, maxLength }: Schema, name: string): string {
  if (format === "date-time" || TIMES.test(name)) {
    const text = new Date(Date.now() + pick(random, HOURS_MS)).toISOString();
    return chance(random, 0.2) ? text.slice(0, 10) : text;
  }
  if (format === "uri" || name.endsWith("url")) return "https://example.com/hook";
  if (name.includes("timezone")) return pick(random, ["UTC", "Europe/Berlin", "Pacific/Apia"]);
  if (/usd|amount|limit|share|multiple/.test(name)) return pick(random, AMOUNTS);
  if (/tokens|seconds|days|count|min_|max_/.test(name)) return pick(random, ["0", "1", "60", "1000"]);
  const word = pick(random, WORDS).padEnd(minLength, "x");
  return maxLength !== undefined && chance(random, 0.1) ? word.padEnd(maxLength, "x") : word;
}

/** Puts something else at some places of a value. */
export function mutated(random: Random, value: unknown, times: number): unknown {
  let changed = structuredClone(value);
  for (let time = 0; time < times; time++) changed = mutatedOnce(random, changed);
  return changed;
}

function mutatedOnce(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || chance(random, 0.1)) return hostileValue(random);
  if (Array.isArray(value)) {
    const at = Math.floor(random() * value.length);
    return value.length === 0 ? [hostileValue(random)] : value.with(at, mutatedOnce(random, value[at]));
  }
  const fields = Object.entries(value);
  const [name, old] = fields[Math.floor(random() * fields.length)] ?? ["a", 1];
  if (chance(random, 0.1)) return Object.fromEntries(fields.filter(([one]) => one !== name));
  if (chance(random, 0.1)) return { ...value, [hostileText(random)]: hostileValue(random) };
  return { ...value, [name]: mutatedOnce(random, old) };
}
