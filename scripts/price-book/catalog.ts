import { type ModelInfo, type ModelPrice, type Provider, waitForUpdate } from "@pydantic/genai-prices";
import type { NewBookProvider, NewListedModel } from "../../src/contract/resources/price-book.ts";
import { BookIndex } from "../../src/domain/price/book-index.ts";
import type { NewPrice } from "../../src/contract/resources/prices/prices.ts";
import { corrected } from "./corrections.ts";
import { withMakersPrices } from "./host-prices.ts";
import { patternsIn } from "./model-names.ts";
import { bookProvider, MAKERS, providersIn } from "./providers.ts";
import { isFree, UNLISTED, withPublished } from "./published.ts";
import { termsIn } from "./terms.ts";

/** The source of rows in the platform's price book, as each row states it. */
export const CATALOG = "genai-prices";

const FREE = { input_usd_per_mtok: "0", output_usd_per_mtok: "0" };

export interface Catalog {
  readonly providers: NewBookProvider[];
  readonly models: NewListedModel[];
  /** Models without a price in the catalog, or with one that the book cannot express. Calls of them are refused. */
  readonly leftOut: string[];
  /** Rows of hosts that disagree with the makers' of the same models. They have the dearer rates. */
  readonly disagreements: string[];
}

/** What the installed package knows, corrected by what providers publish. */
export async function installedProviders(): Promise<Provider[]> {
  return corrected((await waitForUpdate()) ?? []);
}

/** Every model of the installed package at each provider, with its current price. Nothing is downloaded. */
export async function readCatalog(now: Date): Promise<Catalog> {
  const providers = await installedProviders();
  const makers = MAKERS.flatMap((id) => providers.filter((provider) => provider.id === id));
  const others = providers.filter((provider) => !makers.includes(provider));
  const catalog: Catalog = { providers: providersIn(providers), models: [], leftOut: [], disagreements: [] };
  const taken = new Set<string>();
  for (const provider of [...makers, ...others]) {
    for (const model of provider.models) {
      // The first maker that lists a model has its plain name.
      const isPlain = makers.includes(provider) && !taken.has(model.id);
      const name = isPlain ? model.id : `${provider.id}/${model.id}`;
      taken.add(name);
      const terms = termsOf(provider, model, now);
      if (terms === null) catalog.leftOut.push(name);
      else catalog.models.push(rowOf(name, provider, model, terms));
    }
  }
  const unlisted = UNLISTED.filter(({ model }) => !taken.has(model));
  catalog.models.push(...unlisted.map((row) => ({ ...row, source: CATALOG })));
  return withMakers(catalog);
}

function withMakers(catalog: Catalog): Catalog {
  const rows = new Map(catalog.models.map((row) => [row.model, row]));
  const index = new BookIndex(
    catalog.models.map(({ model, provider = null, aliases = [] }) => ({ model, provider, aliases })),
    catalog.providers.map(bookProvider),
  );
  const compared = catalog.models.map((row) =>
    withMakersPrices(row, (maker, model) => rows.get(index.findAt(maker, model)?.model ?? "")),
  );
  return {
    ...catalog,
    models: compared.map(({ row }) => row),
    disagreements: compared.flatMap(({ disagreement }) => disagreement ?? []),
  };
}

function termsOf({ id: provider }: Provider, model: ModelInfo, now: Date): NewPrice | null {
  const price = priceOn(model.prices, now);
  const isEmpty = Object.keys(price).length === 0;
  const terms = isEmpty && isFree(provider, model.id) ? FREE : termsIn(price);
  return terms === null ? null : withPublished(provider, model.id, terms);
}

function rowOf(name: string, { id: provider }: Provider, model: ModelInfo, terms: NewPrice): NewListedModel {
  const aliases = (patternsIn(model.match) ?? []).filter((alias) => alias !== model.id);
  return {
    model: name,
    source: CATALOG,
    provider,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...terms,
    ...(model.context_window === undefined ? {} : { context_window: model.context_window }),
  };
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
