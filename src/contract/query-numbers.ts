import * as z from "zod";

/** Numbers in a query. They arrive as text; the document and the clients that are made of it have numbers. */

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
}

/** How the document describes text that has to be a number. */
function numberIn(type: "integer" | "number", { minimum, maximum }: Bounds) {
  return {
    override: ({ jsonSchema }: { jsonSchema: { pattern?: unknown } }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type, minimum, maximum });
    },
  };
}

function outside({ minimum, maximum }: Bounds) {
  return { message: `must be from ${minimum} to ${maximum}`, params: { code: "out_of_range" } };
}

export function wholeNumber(minimum: number, maximum: number) {
  const bounds = { minimum, maximum };
  return z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${minimum} to ${maximum}`)
    .meta(numberIn("integer", bounds))
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, outside(bounds));
}

export function decimalNumber(minimum: number, maximum: number) {
  const bounds = { minimum, maximum };
  return z
    .string()
    .regex(/^\d{1,2}(\.\d{1,6})?$/, "must be a decimal number such as 0.25")
    .meta(numberIn("number", bounds))
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, outside(bounds));
}
