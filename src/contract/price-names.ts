import * as z from "zod";
import { PRICE_NAME } from "./token-classes.ts";

const MESSAGE = "must be 1 to 64 characters of a-z, 0-9, _, . and -";

/** Values by the names of units or variants. `z.record` would leave out one that is named `__proto__`: it is refused. */
export function byPriceName<Shape extends z.ZodType>(shape: Shape, most: number) {
  const entries = z
    .record(z.string().regex(PRICE_NAME, MESSAGE), shape)
    .refine((value) => Object.keys(value).length <= most, {
      message: `must have at most ${most} entries`,
      params: { code: "too_many" },
    });
  return z.preprocess((value, context) => {
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")) {
      const params = { code: "invalid_value" };
      context.addIssue({ code: "custom", path: ["__proto__"], message: MESSAGE, params });
    }
    return value;
  }, entries);
}
