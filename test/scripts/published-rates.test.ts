import { describe, expect, test } from "vitest";
import { readCatalog } from "../../scripts/price-book/catalog.ts";
import { withMakersPrices } from "../../scripts/price-book/host-prices.ts";
import type { NewListedModel } from "../../src/contract/resources/price-book.ts";
import { BookIndex } from "../../src/domain/price/book-index.ts";
import { PUBLISHED } from "../domain/price/examples.ts";

const { models, disagreements } = await readCatalog(new Date("2026-11-15T12:00:00Z"));
const catalog = new Map(models.map((row) => [row.model, row]));

/** What the worked examples take from a provider's page and the catalog does not list. */
const NOT_IN_CATALOG = ["gpt-image-1 image_output_usd_per_mtok"];
/** Models without output have no rate for it in the catalog. The book has that of their input: nothing is free by omission. */
const WITHOUT_OUTPUT = ["text-embedding-3-small output_usd_per_mtok"];
const MODELS_NOT_IN_CATALOG = ["claude-haiku-3", "gemini-2.5-flash-preview-tts"];

type Rates = {
  readonly [Name in "input" | "cache_read" | "output" as `${Name}_usd_per_mtok`]?: string | undefined;
};

/** Every rate of a price, including its tiers, as a number under its path. */
function ratesOf(price: object, path: string): [string, number][] {
  return Object.entries(price).flatMap(([name, value]: [string, unknown]) => {
    if (name.endsWith("_usd_per_mtok")) return [[`${path} ${name}`, Number(value)]];
    if (name !== "tiers" || !Array.isArray(value)) return [];
    return value.flatMap((tier: object & { above_input_tokens?: unknown }) =>
      ratesOf(tier, `${path} above ${String(tier.above_input_tokens)}`),
    );
  });
}

test("every model of OpenAI that hears or speaks in chats has rates for sound", () => {
  const speaking = models.filter(
    ({ provider, model }) => provider === "openai" && /-?audio(?:-|$)/.test(model),
  );
  expect(speaking.map(({ model }) => model)).toEqual(
    expect.arrayContaining(["gpt-4o-audio-preview", "gpt-4o-mini-audio-preview", "gpt-audio"]),
  );
  for (const { model, audio_input_usd_per_mtok: heard, audio_output_usd_per_mtok: spoken } of speaking)
    expect([model, Number(heard) > 5, Number(spoken) > 10]).toEqual([model, true, true]);
});

test("the rates of the worked examples are those of the installed catalog", () => {
  let compared = 0;
  for (const [model, { price }] of Object.entries(PUBLISHED)) {
    const listed = catalog.get(model);
    expect([model, listed === undefined]).toEqual([model, MODELS_NOT_IN_CATALOG.includes(model)]);
    if (listed === undefined) continue;
    const theirs = new Map(ratesOf(listed, model));
    for (const [path, rate] of ratesOf(price, model)) {
      if (WITHOUT_OUTPUT.includes(path)) {
        expect([path, rate, theirs.get(path)]).toEqual([path, 0, Number(listed.input_usd_per_mtok)]);
        continue;
      }
      expect([path, theirs.get(path)]).toEqual([path, NOT_IN_CATALOG.includes(path) ? undefined : rate]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(70);
});

describe("what the catalog has wrong is corrected", () => {
  const index = new BookIndex(
    models.map(({ model, provider = null, aliases = [] }) => ({ model, provider, aliases })),
    [],
  );
  const levels = (provider: string, model: string) => {
    const row = catalog.get(index.findAt(provider, model)?.model ?? "");
    const rates = ({
      input_usd_per_mtok: input,
      cache_read_usd_per_mtok: cached,
      output_usd_per_mtok: output,
    }: Rates) => [input, cached, output].map(Number);
    const [tier] = row?.tiers ?? [];
    return row && [rates(row), ...(tier === undefined ? [] : [tier.above_input_tokens, rates(tier)])];
  };

  test.each([
    ["x-ai", "grok-4", [[3, 0.75, 15], 128_000, [6, 0.75, 30]]],
    ["x-ai", "grok-4-fast", [[0.2, 0.05, 0.5], 128_000, [0.4, 0.05, 1]]],
    ["x-ai", "grok-4-1-fast", [[0.2, 0.05, 0.5], 128_000, [0.4, 0.05, 1]]],
    ["anthropic", "claude-sonnet-4-20250514", [[3, 0.3, 15], 200_000, [6, 0.6, 22.5]]],
    ["openrouter", "anthropic/claude-sonnet-4", [[3, 0.3, 15], 200_000, [6, 0.6, 22.5]]],
    ["openrouter", "google/gemini-2.5-pro", [[1.25, 0.31, 10], 200_000, [2.5, 0.62, 15]]],
    ["openrouter", "x-ai/grok-4.3", [[1.25, 0.2, 2.5], 199_999, [2.5, 0.4, 5]]],
    ["aws", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", [[3.3, 0.33, 16.5], 200_000, [6.6, 0.66, 24.75]]],
    ["mistral", "mistral-large-latest", [[0.5, 0.05, 1.5]]],
    ["mistral", "mistral-large-2411", [[2, Number.NaN, 6]]],
    ["deepseek", "deepseek-chat", [[0.28, 0.028, 0.42]]],
    ["aws", "amazon.titan-embed-text-v2:0", [[0.02, Number.NaN, 0.02]]],
    ["aws", "amazon.titan-embed-text-v1", [[0.1, Number.NaN, 0.1]]],
    ["openai", "gpt-4o-mini-search-preview", [[0.15, 0.075, 0.6]]],
    ["openai", "gpt-4o-mini", [[0.15, 0.075, 0.6]]],
  ])("%s %s", (provider, model, expected) => expect(levels(provider, model)).toEqual(expected));

  test("a search of gpt-4o-mini-search-preview costs what its page says, and no other does", () => {
    const search = (model: string) =>
      catalog.get(index.findAt("openai", model)?.model ?? "")?.units?.["web_search"];
    expect(["gpt-4o-mini-search-preview-2025-03-11", "gpt-4o-mini"].map(search)).toEqual(["0.025", "0.01"]);
  });

  test("a host's row is never cheaper than its maker's, and each that disagrees is listed", () => {
    const listed = disagreements.find((line) => line.startsWith("openrouter/openai/gpt-5.6-sol,"));
    expect(listed).toContain("input_usd_per_mtok 2 and 4");
    expect(levels("openrouter", "openai/gpt-5.6-sol")?.[0]).toEqual([4, 0.4, 20]);
    expect(disagreements.filter((line) => line.startsWith("groq/"))).toEqual([]);
  });

  test("a host of models that anybody may host has its own price", () => {
    const row: NewListedModel = {
      model: "h/gpt-oss-20b",
      provider: "h",
      input_usd_per_mtok: "1",
      output_usd_per_mtok: "1",
    };
    const find = () => ({ ...row, model: "gpt-oss-20b", input_usd_per_mtok: "9" });
    expect(withMakersPrices(row, find)).toEqual({ row, disagreement: null });
    const claude = { ...row, model: "h/claude-x" };
    expect(withMakersPrices(claude, find).row.input_usd_per_mtok).toBe("9");
    expect(withMakersPrices(claude, () => ({ ...row, input_usd_per_mtok: "1.04" })).disagreement).toBeNull();
  });
});
