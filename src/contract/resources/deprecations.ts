import * as z from "zod";
import { imfFixdate, parseIsoDate, parseSunset } from "../http-date.ts";
import { DEPRECABLE_METHODS } from "../lists.ts";

/** One deprecated route, as callers and operators see it. */
export const deprecationEntryShape = z
  .object({
    method: z.enum(DEPRECABLE_METHODS),
    route: z.string().meta({ description: "Route template.", examples: ["/v1/forecast"] }),
    since: z.string().meta({ description: "The date the deprecation took effect, `YYYY-MM-DD`." }),
    sunset: z.string().meta({ description: "HTTP-date after which the route may be removed." }),
    replacement: z
      .string()
      .optional()
      .meta({ description: "Route template of the successor, if there is one." }),
    documentation: z.string().meta({ description: "Where the change is documented." }),
  })
  .meta({ id: "DeprecationEntry" });
export type DeprecationEntry = z.output<typeof deprecationEntryShape>;

/** Both are written between the angle brackets of a `Link` header. */
const target = z
  .string()
  .max(512)
  .regex(
    /^[\x21\x23-\x3b\x3d\x3f-\x7e]+$/,
    "must be printable ASCII without spaces, quotes or angle brackets",
  );

const sunset = z.string().transform((text, context) => {
  const atMs = parseSunset(text);
  if (atMs !== undefined) return imfFixdate(atMs);
  context.addIssue({
    code: "custom",
    message: "must be an HTTP-date, an RFC 3339 timestamp or a date",
    input: text,
  });
  return z.NEVER;
});

export const newDeprecation = z.strictObject({
  method: z.enum(DEPRECABLE_METHODS),
  route: z.string().max(512),
  since: z.string().refine((text) => parseIsoDate(text) !== undefined, "must be a date, YYYY-MM-DD"),
  sunset: sunset.meta({
    description: "HTTP-date, RFC 3339 timestamp, or a date, which includes that whole day.",
  }),
  replacement: target.regex(/^\//, "must be a route template").optional(),
  documentation: target.pipe(z.url({ protocol: /^https?$/, error: "must be an absolute URL" })),
});

export const deprecationEntries = z.array(deprecationEntryShape);
