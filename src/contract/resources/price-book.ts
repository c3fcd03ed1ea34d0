import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { optionalOrNull, timestamp } from "../shapes.ts";
import { checkTerms, priceShown, priceTerms } from "./prices.ts";
import { modelName } from "./dimension-shape.ts";

const MOST_MODELS = 5000;
const MOST_ALIASES = 50;

const origin = z.string().min(1).max(200);

/** One model of the platform's price book. */
const listedModel = z.object({
  model: z.string(),
  aliases: z.array(z.string()),
  source: z.string().nullable(),
  ...priceShown,
});
export type ListedModel = z.output<typeof listedModel>;

export const priceBook = z
  .object({
    revision: z.int().meta({ description: "0 before the first." }),
    updated_at: timestamp.nullable(),
    models: z.array(listedModel),
  })
  .meta({ id: "PriceBook" });
export type PriceBook = z.output<typeof priceBook>;

const newListedModel = withRule(
  z.strictObject({
    model: modelName,
    aliases: z.array(modelName).max(MOST_ALIASES).optional().meta({
      description: "Other names of the model. `#` is any digit, as in `m1-########` for dated versions.",
    }),
    source: optionalOrNull(origin).meta({ description: "Where the price was taken from." }),
    ...priceTerms,
  }),
  checkTerms,
);
export type NewListedModel = z.output<typeof newListedModel>;

export const newPriceBook = withRule(
  z.strictObject({ models: z.array(newListedModel).max(MOST_MODELS) }),
  ({ models = [] }, { complain }) => {
    const seen = new Set<string>();
    for (const [index, one] of models.entries()) {
      const model = one?.model;
      if (model === undefined) continue;
      if (seen.has(model)) complain(["models", index, "model"], "duplicate", "is in the list already");
      seen.add(model);
    }
  },
);
