import type { ModelPrice } from "@pydantic/genai-prices";
import type { NewPrice } from "../../src/contract/resources/prices.ts";

type Rate = Exclude<keyof NewPrice, "provider" | "units" | "tiers" | "variants">;

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

/** Units, and how many of them the catalog's price covers. */
const UNITS: Readonly<Record<string, readonly [unit: string, per: number]>> = {
  web_searches_kcount: ["web_search", 1000],
  storage_searches_kcount: ["file_search", 1000],
  audio_hours: ["audio_hour", 1],
  input_audio_hours: ["audio_hour", 1],
  input_document_kpages: ["document_page", 1000],
  input_annotated_document_kpages: ["annotated_document_page", 1000],
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
      : [[unit, decimal(value / per)] as const];
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

/** What is not charged for costs nothing. */
function ratesAt(rates: readonly [string, Value][], inputTokens: number) {
  const named = rates.map(
    ([key, value]) => [RATES[key] ?? "", decimal(valueAt(value, inputTokens))] as const,
  );
  return { input_usd_per_mtok: "0", output_usd_per_mtok: "0", ...Object.fromEntries(named) };
}

function valueAt(value: Value, inputTokens: number): number {
  if (typeof value === "number") return value;
  return value.tiers.findLast(({ start }) => inputTokens > start)?.price ?? value.base;
}

const DECIMALS = 9;

function decimal(value: number): string {
  return value.toFixed(DECIMALS).replace(/\.?0+$/, "");
}
