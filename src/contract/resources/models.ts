import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { optionalOrNull, timestamp } from "../shapes.ts";
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

export const newModel = withRule(
  z.strictObject({
    ...priceTerms,
    effective_at: effectiveAt,
    regions: optionalOrNull(z.array(regionName).max(100)),
  }),
  checkTerms,
);
export type NewModel = z.output<typeof newModel>;
