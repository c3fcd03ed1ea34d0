import * as z from "zod";
import { withRule } from "../field-rules.ts";
import { readOnly } from "../read-only.ts";
import { optionalOrNull, timestamp, timestampInput } from "../shapes.ts";
import { checkTerms, priceShown, priceTerms } from "./prices/prices.ts";
import { modelName } from "./usage/dimension-shape.ts";
import { callerId } from "../ids.ts";

const MOST_MODELS = 5000;
const MOST_ALIASES = 50;
const MOST_PROVIDERS = 200;
const MOST_FALLBACKS = 20;

const origin = z.string().min(1).max(200);

/** One model of the platform's price book. */
const listedModel = z.object({
  model: z.string(),
  aliases: z.array(z.string()),
  source: z.string().nullable(),
  ...priceShown,
});
export type ListedModel = z.output<typeof listedModel>;

/** The facts about a provider that its rows do not have. */
const bookProvider = z.object({
  provider: z.string(),
  names: z.array(z.string()),
  models: z.array(z.string()),
  fallbacks: z.array(z.string()),
  hosts: z.boolean(),
});
export type BookProvider = z.output<typeof bookProvider>;

export const priceBook = z
  .object({
    revision: z.int().meta({ description: "0 before the first." }),
    updated_at: timestamp.nullable(),
    providers: z.array(bookProvider),
    models: z.array(listedModel),
  })
  .meta({ id: "PriceBook" });
export type PriceBook = z.output<typeof priceBook>;

const newListedModel = withRule(
  z.strictObject({
    model: modelName,
    aliases: z.array(modelName).max(MOST_ALIASES).optional().meta({
      description:
        "Other names of the model. `#` is any digit, as in `m1-########` for dated versions. With `*` for any text, as in `m1-*`, it finds models of calls that name the provider. A leading `!` excludes names.",
    }),
    source: optionalOrNull(origin).meta({ description: "Where the price was taken from." }),
    ...priceTerms,
  }),
  checkTerms,
);
export type NewListedModel = z.output<typeof newListedModel>;

const patterns = z.array(modelName).max(MOST_ALIASES).optional();

const newBookProvider = z.strictObject({
  provider: callerId,
  names: patterns.meta({ description: "Other names of the provider, with `*` for any text." }),
  models: patterns.meta({
    description: "Models that are meant to be this provider's in calls that name none, such as `gpt-*`.",
  }),
  fallbacks: z.array(callerId).max(MOST_FALLBACKS).optional().meta({
    description: "Providers whose rows price a model that this one has no row for, first to last.",
  }),
  hosts: z.boolean().optional().meta({
    description: "If true, it hosts models of others: a model's name alone does not mean its rows.",
  }),
});
export type NewBookProvider = z.output<typeof newBookProvider>;

export const BOOK_READ_ONLY = ["revision", "updated_at"] as const;

export const newPriceBook = withRule(
  z.strictObject({
    models: z.array(newListedModel).max(MOST_MODELS),
    providers: z.array(newBookProvider).max(MOST_PROVIDERS).optional().meta({
      description: "If omitted: as they are.",
    }),
    revision: readOnly(z.int()),
    updated_at: readOnly(timestampInput.nullable()),
  }),
  ({ models = [], providers = [] }, { complain }) => {
    const refuseTwice = (
      list: "models" | "providers",
      field: string,
      names: readonly (string | undefined)[],
    ) => {
      const seen = new Set<string>();
      for (const [index, name] of names.entries()) {
        if (name === undefined) continue;
        if (seen.has(name)) complain([list, index, field], "duplicate", "is in the list already");
        seen.add(name);
      }
    };
    refuseTwice(
      "models",
      "model",
      models.map((one) => one?.model),
    );
    refuseTwice(
      "providers",
      "provider",
      providers.map((one) => one?.provider),
    );
  },
);
export type NewPriceBook = z.output<typeof newPriceBook>;
