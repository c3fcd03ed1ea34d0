import * as z from "zod";
import { USD_MOST_DIGITS } from "./bounds.ts";

/** Schemas that several operations share. */

export const usdInput = z
  .string()
  .meta({ description: "Dollars as a decimal string, with at most 9 decimal places.", examples: ["12.50"] })
  .superRefine((text, context) => {
    const problem = usdProblem(text);
    if (problem !== null)
      context.addIssue({ code: "custom", message: problem.message, params: { code: problem.code } });
  });

/** Limits every amount to a billion dollars, so that sums fit easily into 64 bits of nano-dollars. */
export function usdProblem(text: string): { code: string; message: string } | null {
  if (text === "") return { code: "empty", message: 'must be a decimal amount such as "12.50"' };
  if (!/^[0-9]+(\.[0-9]+)?$/.test(text)) {
    return {
      code: "invalid_format",
      message:
        'must be digits with an optional decimal point, such as "12.50", without sign, exponent or spaces',
    };
  }
  const [whole = "", fraction = ""] = text.split(".");
  if (fraction.length > USD_MOST_DIGITS)
    return { code: "out_of_range", message: `must have at most ${USD_MOST_DIGITS} decimal places` };
  if (whole.replace(/^0+/, "").length > USD_MOST_DIGITS)
    return { code: "out_of_range", message: "must be under 1000000000" };
  return null;
}

export const usd = z.string().meta({ description: "Dollars as a decimal string.", examples: ["12.50"] });

export const timestamp = z
  .string()
  .meta({ description: "RFC 3339 in UTC.", examples: ["2026-08-01T00:00:00.000Z"] });

/** When a limit starts over. Unlike other times, it has the offset of the limit's own time zone. */
export const resetTime = z.string().meta({
  description: "RFC 3339 with the numeric offset of the limit's time zone (`+00:00` for UTC).",
  examples: ["2026-12-01T00:00:00.000+00:00"],
});

/**
 * Upper case, as the RFC allows a format to require. Hours end at 23, and there are no leap seconds, because the clock
 * has none.
 */
const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Milliseconds since the epoch, or null if the text is not an RFC 3339 timestamp of a real date. */
export function parseTimestamp(text: string): number | null {
  const match = RFC3339.exec(text);
  if (match === null) return null;
  const [, year, month, day] = match;
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > days) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms < FIRST_MS || ms > LAST_MS ? null : ms;
}

/** The year must also have four digits in UTC. */
const FIRST_MS = Date.parse("0000-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

export const timestampInput = z
  .string()
  .meta({ description: "RFC 3339 with a time zone.", examples: ["2026-08-01T00:00:00Z"] })
  .refine((text) => parseTimestamp(text) !== null, {
    message: "must be an RFC 3339 timestamp with a time zone, such as 2026-08-01T00:00:00Z",
    params: { code: "invalid_format" },
  });

/** A field that may be left out. Null says the same, so that a resource can be sent back as it was read. */
export function optionalOrNull<T extends z.ZodType>(shape: T) {
  return shape
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();
}

export const name = z.string().min(1).max(200).meta({ description: "1 to 200 characters." });

/**
 * An object with any field names. `z.record` would drop a field named `__proto__`. It does not end the check of the other
 * fields.
 */
export const freeForm = z
  .custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    { message: "must be an object", params: { code: "invalid_type" }, abort: false },
  )
  .meta({ override: { type: "object", propertyNames: { type: "string" }, additionalProperties: {} } });

/** The same record, where `z.record` alone would leave out a field that is named `__proto__`. */
export function refuseProto<Shape extends z.ZodType>(record: Shape, message: string) {
  return z.preprocess((value, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")) {
      const params = { code: "invalid_value" };
      context.addIssue({ code: "custom", path: ["__proto__"], message, params });
    }
    return value;
  }, record);
}

/** A refinement for unions: reports a field that every member needs, if no discriminator selects a member. */
export function hasWithoutKind(field: string) {
  const params = {
    path: [field],
    message: "is required",
    params: { code: "required" },
    when: ({ value, issues }: z.core.ParsePayload) =>
      issues.length > 0 && typeof value === "object" && value !== null && !Array.isArray(value),
  };
  return [(value: object) => Object.hasOwn(value, field), params] as const;
}

/** An operation without fields refuses unknown fields instead of dropping them. */
export const noFields = z.strictObject({});

/** The part of a name that a search looks for. */
export const searchText = z.string().min(1).max(128);
