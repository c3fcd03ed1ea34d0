import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { readOnly } from "../read-only.ts";
import { optionalOrNull, timestamp, timestampInput } from "../shapes.ts";
import { checkTerms, effectiveAt, priceShown, priceSource, priceTerms } from "./prices/prices.ts";
import { regionName } from "./residency.ts";

export const model = z
  .object({
    model: z.string(),
    ...priceShown,
    regions: z
      .array(z.string())
      .nullable()
      .meta({ description: "Regions that serve the model. Null for all regions." }),
    source: priceSource,
    revision: z.int().meta({ description: "The number that runs name as `price_revision`." }),
    effective_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Model" });
export type Model = z.output<typeof model>;

const setByService = {
  model: readOnly(z.string()),
  source: readOnly(priceSource),
  revision: readOnly(z.int()),
  created_at: readOnly(timestampInput),
  updated_at: readOnly(timestampInput),
};
export const MODEL_READ_ONLY = ["model", "source", "revision", "created_at", "updated_at"] as const;

export const newModel = withRule(
  z.strictObject({
    ...setByService,
    ...priceTerms,
    effective_at: effectiveAt,
    regions: optionalOrNull(z.array(regionName).max(100)),
  }),
  checkTerms,
);
export type NewModel = z.output<typeof newModel>;
