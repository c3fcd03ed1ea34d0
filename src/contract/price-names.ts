import * as z from "zod";
import { refuseProto } from "./shapes.ts";
import { PRICE_NAME } from "./token-classes.ts";

const MESSAGE = "must be 1 to 64 characters of a-z, 0-9, _, . and -";

/** Values by the names of units or variants. */
export function byPriceName<Shape extends z.ZodType>(shape: Shape, most: number) {
  const entries = z
    .record(z.string().regex(PRICE_NAME, MESSAGE), shape)
    .refine((value) => Object.keys(value).length <= most, {
      message: `must have at most ${most} entries`,
      params: { code: "too_many" },
    });
  return refuseProto(entries, MESSAGE);
}
