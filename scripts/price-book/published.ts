import type { NewListedModel } from "../../src/contract/resources/price-book.ts";
import type { NewPrice } from "../../src/contract/resources/prices/prices.ts";

/**
 * What providers publish and the catalog does not have. Discounts are here only if they apply to every token rate alike,
 * because a variant is one factor. Variants above one are not here: a decision that names no variant reserves at the
 * highest one, so every plain call of such a model would reserve too much.
 */

interface DiscountedTiers {
  readonly provider: string;
  readonly isFor: (model: string) => boolean;
  readonly variants: Readonly<Record<string, string>>;
}

const VARIANTS: readonly DiscountedTiers[] = [
  {
    // Half of every token rate, cached tokens included: developers.openai.com/api/docs/guides/batch.
    provider: "openai",
    isFor: () => true,
    variants: { batch: "0.5" },
  },
  {
    // The rates of batches, for some models: developers.openai.com/api/docs/guides/flex-processing. Others do not have the tier.
    provider: "openai",
    isFor: (model) =>
      /^(?:gpt-5(?:\.\d)?|gpt-6)(?:-(?:mini|nano|sol|terra|luna|astra))?$|^o3$|^o4-mini$/.test(model),
    variants: { flex: "0.5" },
  },
  {
    // Half of every token rate: platform.claude.com/docs/en/about-claude/pricing.
    provider: "anthropic",
    isFor: () => true,
    variants: { batch: "0.5" },
  },
];

interface ToolPrices {
  readonly provider: string;
  /** Whether a model can use the tools. */
  readonly isFor: (model: string, terms: NewPrice) => boolean;
  readonly units: Readonly<Record<string, string>>;
}

interface SoundRates {
  readonly provider: string;
  readonly isFor: (model: string) => boolean;
  readonly rates: Pick<NewPrice, "audio_input_usd_per_mtok" | "audio_output_usd_per_mtok">;
}

/** Rates of sound that the catalog does not have: developers.openai.com/api/docs/pricing. Without them, sound would cost as text. */
const SOUND: readonly SoundRates[] = [
  {
    provider: "openai",
    isFor: (model) => model === "gpt-4o-audio-preview",
    rates: { audio_input_usd_per_mtok: "40", audio_output_usd_per_mtok: "80" },
  },
  {
    provider: "openai",
    isFor: (model) => model === "gpt-4o-mini-audio-preview",
    rates: { audio_input_usd_per_mtok: "10", audio_output_usd_per_mtok: "20" },
  },
];

const DOES_NOT_REASON = /^gpt-4/;

const TOOLS: readonly ToolPrices[] = [
  {
    // Containers of 1, 4, 16 and 64 GB: developers.openai.com/api/docs/pricing. Models with file search have them. They are billed
    // by the minute and for five at least (developers.openai.com/api/docs/changelog, June 2, 2026). These are the prices of 20 minutes,
    // after which a container that nobody uses ends.
    provider: "openai",
    isFor: (_model, { units }) => units?.["file_search"] !== undefined,
    units: {
      code_interpreter_session: "0.03",
      code_interpreter_session_4g: "0.12",
      code_interpreter_session_16g: "0.48",
      code_interpreter_session_64g: "1.92",
    },
  },
  {
    // For each search of the older tool by a model that reasons: developers.openai.com/api/docs/pricing, confirmed by the maker's staff
    // (community.openai.com/t/1363698).
    provider: "openai",
    isFor: (model, { units }) => units?.["web_search"] !== undefined && !DOES_NOT_REASON.test(model),
    units: { web_search_preview: "0.01" },
  },
  {
    // The same by a model that does not reason.
    provider: "openai",
    isFor: (model, { units }) => units?.["web_search"] !== undefined && DOES_NOT_REASON.test(model),
    units: { web_search_preview: "0.025" },
  },
  {
    // Models that search for every answer are billed for it as by the older tool.
    provider: "openai",
    isFor: (model) => /^gpt-4o(?:-mini)?-search-preview$/.test(model),
    units: { web_search: "0.025" },
  },
  {
    // For each call of a tool: docs.x.ai/developers/pricing.
    provider: "x-ai",
    isFor: (model) => !model.includes("voice"),
    units: {
      web_search: "0.005",
      x_search: "0.005",
      code_execution: "0.005",
      attachment_search: "0.01",
      file_search: "0.0025",
    },
  },
  {
    // For each prompt that was grounded with Google Search, however many queries it made: ai.google.dev/gemini-api/docs/pricing, confirmed
    // by the maker's staff (discuss.ai.google.dev/t/102927).
    provider: "google",
    isFor: (model) => /^gemini-2\.\d-(?:pro|flash|flash-lite)$/.test(model),
    units: { web_search: "0.035" },
  },
  {
    // For each search query: ai.google.dev/gemini-api/docs/pricing.
    provider: "google",
    isFor: (model) => /^gemini-3(?:\.\d)?-(?:pro|flash)(?:-lite)?(?:-preview)?$/.test(model),
    units: { web_search: "0.014" },
  },
];

/** Models that the catalog lists without a price because they cost nothing, each with the page that says so. */
const FREE_OF_CHARGE: readonly string[] = [
  // developers.openai.com/api/docs/guides/moderation
  "openai moderation",
  // ai.google.dev/gemini-api/docs/pricing
  "google gemma-3",
  "google gemma-3n",
  "google gemma-4-26b-a4b-it",
  "google gemma-4-31b-it",
];

/** Models that the catalog does not list. Speech is priced by the character: developers.openai.com/api/docs/models/tts-1. */
export const UNLISTED: readonly NewListedModel[] = [
  speech("tts-1", "0.000015", ["tts-1-1106"]),
  speech("tts-1-hd", "0.00003", ["tts-1-hd-1106"]),
];

function speech(model: string, usdPerCharacter: string, aliases: string[]): NewListedModel {
  return {
    model,
    provider: "openai",
    aliases,
    input_usd_per_mtok: "0",
    output_usd_per_mtok: "0",
    units: { speech_character: usdPerCharacter },
  };
}

/** Whether a model without a price in the catalog is free: by its name, or by what its provider publishes. */
export function isFree(provider: string, model: string): boolean {
  return model.endsWith(":free") || FREE_OF_CHARGE.includes(`${provider} ${model}`);
}

export function withPublished(provider: string, model: string, terms: NewPrice): NewPrice {
  const tools = TOOLS.filter((one) => one.provider === provider && one.isFor(model, terms));
  const units = Object.assign({}, ...tools.map((one) => one.units), terms.units) as Record<string, string>;
  const tiers = VARIANTS.filter((one) => one.provider === provider && one.isFor(model));
  const variants = Object.assign({}, ...tiers.map((one) => one.variants)) as Record<string, string>;
  const sound = SOUND.filter((one) => one.provider === provider && one.isFor(model));
  return {
    ...(Object.assign({}, ...sound.map((one) => one.rates)) as Partial<NewPrice>),
    ...terms,
    ...(Object.keys(units).length === 0 ? {} : { units }),
    ...(Object.keys(variants).length === 0 ? {} : { variants }),
  };
}
