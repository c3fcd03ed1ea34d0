import * as z from "zod";
import type { Findings, Sound } from "../../field-rules.ts";
import { callerId } from "../../ids.ts";
import { byPriceName } from "../../price-names.ts";
import { MAX_TOKENS } from "../../runs.ts";
import { optionalOrNull, timestamp, timestampInput, usd, usdInput, usdProblem } from "../../shapes.ts";
import {
  MOST_TIERS,
  MOST_UNITS,
  MOST_VARIANTS,
  STANDARD_VARIANT,
  TOKEN_CLASSES,
  TOKEN_CLASS_NAMES,
  type TokenClass,
} from "../../token-classes.ts";

type RateField = `${TokenClass}_usd_per_mtok`;

function classRates<Shape extends z.ZodType>(shape: (name: TokenClass) => Shape): Record<RateField, Shape> {
  const fields = TOKEN_CLASS_NAMES.map((name) => [`${name}_usd_per_mtok`, shape(name)] as const);
  return Object.fromEntries(fields) as Record<RateField, Shape>;
}

const classRateInputs = classRates((name) =>
  optionalOrNull(usdInput).meta({
    description: `Dollars per million ${name} tokens. If omitted: the ${TOKEN_CLASSES[name]} rate.`,
  }),
);

const MOST_FACTOR = 1000;

/** The factor of a variant: a decimal string, such as `"0.5"`. */
const factorInput = z
  .string()
  .meta({ description: "A decimal factor of the token rates.", examples: ["0.5"] })
  .superRefine((text, context) => {
    const problem =
      usdProblem(text) ??
      (Number(text) <= MOST_FACTOR
        ? null
        : { code: "out_of_range", message: `must be at most ${MOST_FACTOR}` });
    if (problem !== null)
      context.addIssue({ code: "custom", message: problem.message, params: { code: problem.code } });
  });

const tierInput = z.strictObject({
  above_input_tokens: z.int().min(0).max(MAX_TOKENS),
  input_usd_per_mtok: usdInput.optional().meta({ description: "If omitted: the model's own." }),
  output_usd_per_mtok: usdInput.optional().meta({ description: "If omitted: the model's own." }),
  ...classRateInputs,
});

const tokenBound = optionalOrNull(z.int().min(1).max(MAX_TOKENS));

/** The terms of a price, as callers write them. */
export const priceTerms = {
  provider: optionalOrNull(callerId).meta({ description: "Also finds the model as `provider/model`." }),
  input_usd_per_mtok: usdInput.meta({ description: "Dollars per million input tokens." }),
  output_usd_per_mtok: usdInput.meta({ description: "Dollars per million output tokens." }),
  ...classRateInputs,
  units: byPriceName(usdInput, MOST_UNITS)
    .optional()
    .meta({ description: "Dollars for one of each unit, such as `web_search`." }),
  tiers: z.array(tierInput).max(MOST_TIERS).optional().meta({
    description:
      "Lowest first. A request whose input tokens exceed a tier is priced as a whole by the highest such tier.",
  }),
  variants: byPriceName(factorInput, MOST_VARIANTS)
    .optional()
    .meta({ description: 'Factors of the token rates by name, such as `batch: "0.5"`.' }),
  context_window: tokenBound.meta({ description: "The most tokens that a request of the model can have." }),
  max_output_tokens: tokenBound.meta({ description: "The most output tokens of a request." }),
};

export const newPrice = z.strictObject(priceTerms);
export type NewPrice = z.output<typeof newPrice>;

/** Tiers must be in ascending order, because the highest one that applies is found by position. */
export function checkTerms(
  { tiers = [], variants = {} }: Sound<Pick<NewPrice, "tiers" | "variants">>,
  { complain }: Findings,
): void {
  if (Number(variants[STANDARD_VARIANT] ?? 1) !== 1) {
    complain(["variants", STANDARD_VARIANT], "invalid_value", "is always 1: it is the plain rates");
  }
  for (const [index, tier] of tiers.entries()) {
    const above = tier?.above_input_tokens;
    const before = tiers[index - 1]?.above_input_tokens;
    if (above === undefined || before === undefined || above > before) continue;
    const message = "must be above that of the tier before";
    complain(["tiers", index, "above_input_tokens"], "out_of_range", message);
  }
}

const nullableRate = usd.nullable().meta({ description: "Null: priced at the input or output rate." });

const tier = z.object({
  above_input_tokens: z.int(),
  input_usd_per_mtok: usd,
  output_usd_per_mtok: usd,
  ...classRates(() => nullableRate),
});

/** The terms of a price, as callers read them. */
export const priceShown = {
  provider: z.string().nullable(),
  input_usd_per_mtok: usd.meta({ description: "Price per million input tokens." }),
  output_usd_per_mtok: usd.meta({ description: "Price per million output tokens." }),
  ...classRates(() => nullableRate),
  units: z.record(z.string(), usd),
  tiers: z.array(tier),
  variants: z.record(z.string(), z.string()),
  context_window: z.int().nullable().meta({ description: "Null if it is not known." }),
  max_output_tokens: z.int().nullable().meta({ description: "Null if it is not known." }),
};
const shown = z.object(priceShown);
export type PriceShown = z.output<typeof shown>;

export const priceSource = z.enum(["org", "platform"]).meta({
  description: "`org`: set by this organization. `platform`: from the platform's price book.",
});

export const effectiveAt = timestampInput.optional().meta({
  description: "When the price takes effect. If omitted: now.",
});

export const priceRevision = z
  .object({
    revision: z.int().meta({ description: "The number that runs name as `price_revision`." }),
    model: z.string(),
    source: priceSource,
    status: z.enum(["current", "scheduled", "past"]),
    effective_at: timestamp,
    created_at: timestamp,
    removed: z
      .boolean()
      .meta({ description: "If true, the organization has no price of its own from then on." }),
    ...shown.partial().shape,
  })
  .meta({ id: "PriceRevision" });
export type PriceRevision = z.output<typeof priceRevision>;
