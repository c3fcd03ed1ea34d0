import { invalidField, type Refusal } from "../../contract/refusal.ts";
import type { UnpricedRun } from "./unpriced.ts";

type NoPrice = Refusal<"validation_failed">;

export function noModelPrice(): NoPrice {
  return invalidField("model", "no_price", "has no price in this organization's price book");
}

/** `counted` is the field that has the units. */
export function noPrice({ unpriced, name }: UnpricedRun, counted: "usage" | "estimate"): NoPrice {
  if (unpriced === "variant")
    return invalidField("variant", "no_price", "is not a variant of this model's price");
  return unpriced === "unit"
    ? invalidField(`${counted}.units.${name}`, "no_price", "is not a unit in this model's price")
    : invalidField(`${counted}.units`, "required", "is required for a model that is priced by units");
}
