import { invalidField, type Refusal } from "../../contract/refusal.ts";

/** What cannot be priced is refused, never free: by the same refusal, whoever notices it. */
type NoPrice = Refusal<"validation_failed">;

export function noModelPrice(): NoPrice {
  return invalidField("model", "no_price", "has no price in this organization's price book");
}

export function noVariantPrice(): NoPrice {
  return invalidField("variant", "no_price", "is not a variant of this model's price");
}

/** `field` names the unit in what was sent. */
export function noUnitPrice(field: string): NoPrice {
  return invalidField(field, "no_price", "is not a unit in this model's price");
}
