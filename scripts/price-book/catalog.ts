import { type ModelInfo, type ModelPrice, type Provider, waitForUpdate } from "@pydantic/genai-prices";
import type { NewListedModel } from "../../src/contract/resources/price-book.ts";
import { namesIn } from "./model-names.ts";
import { termsIn } from "./terms.ts";

/** The source of rows in the platform's price book, as each row states it. */
export const CATALOG = "genai-prices";

/** Providers whose models use plain names. All other names start with the provider. */
const MAKERS = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "cohere",
  "deepseek",
  "x-ai",
  "moonshotai",
  "minimax",
  "perplexity",
  "voyageai",
  "zai",
  "zhipuai",
];

/**
 * Providers whose batches cost half of every token rate, including cached tokens. The catalog has no such discounts.
 */
const HALF_IN_BATCHES = new Set(["openai", "anthropic"]);

/** The catalog has no prices for models that are free by name. */
const FREE = { input_usd_per_mtok: "0", output_usd_per_mtok: "0" };

export interface Catalog {
  readonly models: NewListedModel[];
  /** Models whose price the book cannot express. */
  readonly leftOut: string[];
}

/** Every model of the installed package with its current price. Nothing is downloaded. */
export async function readCatalog(now: Date): Promise<Catalog> {
  const providers = (await waitForUpdate()) ?? [];
  const makers = MAKERS.flatMap((id) => providers.filter((provider) => provider.id === id));
  const others = providers.filter((provider) => !makers.includes(provider));
  const catalog: Catalog = { models: [], leftOut: [] };
  const taken = new Set<string>();
  for (const provider of [...makers, ...others]) {
    for (const model of provider.models) {
      const row = rowOf(provider, model, makers.includes(provider), now);
      if (taken.has(row.model)) continue;
      taken.add(row.model);
      if (row.terms === null) catalog.leftOut.push(row.model);
      else catalog.models.push({ model: row.model, source: CATALOG, ...row.names, ...row.terms });
    }
  }
  return catalog;
}

function rowOf({ id: provider }: Provider, { id, match, prices }: ModelInfo, isMaker: boolean, now: Date) {
  const price = priceOn(prices, now);
  const isFree = id.endsWith(":free") && Object.keys(price).length === 0;
  const plain = isFree ? FREE : termsIn(price);
  const terms =
    plain !== null && HALF_IN_BATCHES.has(provider) ? { ...plain, variants: { batch: "0.5" } } : plain;
  if (!isMaker) return { model: `${provider}/${id}`, names: {}, terms };
  const aliases = namesIn(match).filter((name) => name !== id);
  return { model: id, names: { provider, ...(aliases.length === 0 ? {} : { aliases }) }, terms };
}

/** The latest price that has started. If prices depend on the time of day, the highest one. */
function priceOn(prices: ModelInfo["prices"], now: Date): ModelPrice {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(
    ({ constraint }) => constraint?.type !== "start_date" || new Date(constraint.start_date) <= now,
  );
  const latest = begun.findLast(({ constraint }) => constraint?.type === "start_date");
  if (latest !== undefined) return latest.prices;
  return begun.map((one) => one.prices).reduce((a, b) => (weight(b) > weight(a) ? b : a), {});
}

function weight({ input_mtok: input, output_mtok: output }: ModelPrice): number {
  return baseOf(input) + baseOf(output);
}

function baseOf(price: ModelPrice[string]): number {
  return typeof price === "object" ? price.base : (price ?? 0);
}
