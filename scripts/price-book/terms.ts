import type { ModelPrice } from "@pydantic/genai-prices";
import type { NewPrice } from "../../src/contract/resources/prices/prices.ts";

type Rate = Exclude<
  keyof NewPrice,
  "provider" | "units" | "tiers" | "variants" | "context_window" | "max_output_tokens"
>;

/** The catalog's name and the book's name of each rate per million tokens. */
const RATES: Readonly<Record<string, Rate>> = {
  input_mtok: "input_usd_per_mtok",
  output_mtok: "output_usd_per_mtok",
  cache_read_mtok: "cache_read_usd_per_mtok",
  cache_write_mtok: "cache_write_usd_per_mtok",
  cache_write_1h_mtok: "cache_write_1h_usd_per_mtok",
  output_reasoning_mtok: "reasoning_usd_per_mtok",
  input_audio_mtok: "audio_input_usd_per_mtok",
  output_audio_mtok: "audio_output_usd_per_mtok",
  input_image_mtok: "image_input_usd_per_mtok",
  output_image_mtok: "image_output_usd_per_mtok",
};

const SECONDS_PER_HOUR = 3600;
const THOUSAND = 1000;
const MILLION = 1_000_000;

/**
 * Units, and how many of them the catalog's price covers. Tokens that are no class of a usage are units too: runs state
 * them beside their input and output tokens.
 */
const UNITS: Readonly<Record<string, readonly [unit: string, per: number]>> = {
  requests_kcount: ["request", THOUSAND],
  web_searches_kcount: ["web_search", THOUSAND],
  storage_searches_kcount: ["file_search", THOUSAND],
  audio_hours: ["audio_second", SECONDS_PER_HOUR],
  input_audio_hours: ["audio_second", SECONDS_PER_HOUR],
  input_text_messages_kcount: ["text_message", THOUSAND],
  input_document_kpages: ["document_page", THOUSAND],
  input_annotated_document_kpages: ["annotated_document_page", THOUSAND],
  output_citation_mtok: ["citation_token", MILLION],
  input_video_mtok: ["video_input_token", MILLION],
  output_video_mtok: ["video_output_token", MILLION],
};

/** Discounts on a part of a class. Without them the class costs its own rate, which is never less. */
const DISCOUNTS = new Set(["cache_audio_read_mtok", "cache_image_read_mtok"]);

/** A price of the catalog in the form of the book. Null if the book cannot express it, or it has no rates. */
export function termsIn(price: ModelPrice): NewPrice | null {
  const entries = Object.entries(price).filter(([, value]) => value !== undefined);
  const known = entries.filter(([key]) => !DISCOUNTS.has(key));
  if (known.length === 0 || known.some(([key]) => !(key in RATES) && !(key in UNITS))) return null;
  const rates = known.filter(([key]) => key in RATES) as [string, Value][];
  const units = known.flatMap(([key, value]) => {
    const [unit, per] = UNITS[key] ?? [];
    return unit === undefined || per === undefined || typeof value !== "number"
      ? []
      : [[unit, roundedUp(value / per)] as const];
  });
  const starts = [...new Set(rates.flatMap(([, value]) => tiersOf(value).map(({ start }) => start)))];
  return {
    ...ratesAt(rates, 0),
    ...(units.length === 0 ? {} : { units: Object.fromEntries(units) }),
    ...(starts.length === 0
      ? {}
      : {
          tiers: starts
            .sort((a, b) => a - b)
            .map((start) => ({ above_input_tokens: start, ...ratesAt(rates, start + 1) })),
        }),
  };
}

type Value = NonNullable<ModelPrice[string]>;

function tiersOf(value: Value): readonly { readonly start: number; readonly price: number }[] {
  return typeof value === "number" ? [] : value.tiers;
}

/**
 * Where the catalog has a rate for one direction only, the other costs the same: models without output, such as
 * embeddings, have none to pay for, and no other model's output is free because nobody wrote its rate down.
 */
function ratesAt(rates: readonly [string, Value][], inputTokens: number) {
  const named = rates.map(
    ([key, value]) => [RATES[key] ?? "", decimal(valueAt(value, inputTokens))] as const,
  );
  const given: Partial<Record<Rate, string>> = Object.fromEntries(named);
  const { input_usd_per_mtok: input, output_usd_per_mtok: output } = given;
  return {
    ...given,
    input_usd_per_mtok: input ?? output ?? "0",
    output_usd_per_mtok: output ?? input ?? "0",
  };
}

function valueAt(value: Value, inputTokens: number): number {
  if (typeof value === "number") return value;
  return value.tiers.findLast(({ start }) => inputTokens > start)?.price ?? value.base;
}

const DECIMALS = 9;
const NANOS = 1e9;
/** What arithmetic with binary fractions may add to a price that is a whole number of nano-dollars. */
const NOISE = 1e-6;

/** A price of one unit, in whole nano-dollars. What it is rounded by is never in the caller's favour. */
function roundedUp(value: number): string {
  return decimal(Math.ceil(value * NANOS - NOISE) / NANOS);
}

export function decimal(value: number): string {
  return value.toFixed(DECIMALS).replace(/\.?0+$/, "");
}
