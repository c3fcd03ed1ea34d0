import { expect, test } from "vitest";
import { readCatalog } from "../../scripts/price-book/catalog.ts";
import { BookIndex } from "../../src/domain/price/book-index.ts";
import { PROVIDERS } from "../../src/providers/table.ts";
import { ALL_FIXTURES } from "../support/provider-fixtures.ts";

const { models, providers } = await readCatalog(new Date("2026-11-15T12:00:00Z"));
const index = new BookIndex(
  models.map(({ model, provider = null, aliases = [] }) => ({ model, provider, aliases })),
  providers.map(({ provider, names = [], models: claimed = [], fallbacks = [], hosts = false }) => ({
    provider,
    names,
    models: claimed,
    fallbacks,
    hosts,
  })),
);
const priced = ALL_FIXTURES.flatMap(({ provider, model }) =>
  model === null ? [] : [[PROVIDERS[provider].prices, model] as const],
);

test.each([...new Map(priced.map((one) => [one.join(" "), one])).values()])(
  "the price book knows %s, and its model %s",
  (provider, model) => {
    expect(index.providers.has(provider)).toBe(true);
    expect(index.findAt(provider, model)).not.toBeNull();
  },
);

/** Those of one's own machine have prices of one's own. */
const OWN_PRICES = ["ollama", "vllm"];

test("the price book knows every provider whose prices are published", () => {
  const unknown = Object.values(PROVIDERS).filter(({ prices }) => !index.providers.has(prices));
  expect(unknown.map(({ name }) => name).toSorted()).toEqual(OWN_PRICES);
});
