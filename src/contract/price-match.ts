/** How a call's provider and model lead to a price. Append-only. */
export const PRICE_MATCHES = ["provider_and_model", "provider_rule", "model", "model_rule"] as const;
export type PriceMatch = (typeof PRICE_MATCHES)[number];
