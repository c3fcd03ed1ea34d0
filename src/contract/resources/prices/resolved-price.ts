import * as z from "zod";
import { callerId } from "../../ids.ts";
import { PRICE_MATCHES } from "../../price-match.ts";
import { timestamp } from "../../shapes.ts";
import { modelName } from "../usage/dimension-shape.ts";
import { priceShown, priceSource } from "./prices.ts";

export const priceQuery = z.strictObject({
  model: modelName.meta({ description: "As calls name it." }),
  provider: callerId.optional().meta({ description: "As calls name it. If omitted: a call without one." }),
});
export type PriceQuery = z.output<typeof priceQuery>;

const resolvedRow = z.object({
  model: z.string().meta({ description: "The name of the row." }),
  source: priceSource,
  revision: z.int().meta({ description: "The number that runs name as `price_revision`." }),
  effective_at: timestamp,
  ...priceShown,
});

/** The price that a call would have, and the reason for it. */
export const resolvedPrice = z
  .object({
    model: z.string(),
    provider: z.string().nullable(),
    priced: z.boolean().meta({ description: "If false, such a call is refused." }),
    matched_by: z.enum(PRICE_MATCHES).nullable().meta({
      description:
        "`provider_and_model`: a row of the provider has this name. `provider_rule`: an alias of such a row fits. `model`: the name alone. `model_rule`: the name alone, by an alias of the provider that it belongs to.",
    }),
    rule: z.string().nullable().meta({ description: "The alias that the name fits." }),
    why: z.string(),
    price: resolvedRow.nullable(),
  })
  .meta({ id: "ResolvedPrice" });
export type ResolvedPrice = z.output<typeof resolvedPrice>;
