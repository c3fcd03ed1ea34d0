import { calcPrice, findProvider } from "@pydantic/genai-prices";
import { expect, test } from "vitest";
import { newPriceBook } from "../../src/contract/resources/price-book.ts";
import { costOf } from "../../src/domain/price/cost.ts";
import { namesOf, undatedName } from "../../src/domain/price/names.ts";
import { priceOf, termsOf } from "../../src/domain/price/terms.ts";
import { CATALOG, readCatalog } from "../../scripts/price-book/catalog.ts";
import { importInto } from "../../scripts/price-book/changes.ts";
import { namesIn } from "../../scripts/price-book/model-names.ts";
import { termsIn } from "../../scripts/price-book/terms.ts";

const TODAY = new Date("2026-11-15T12:00:00Z");
const { models, leftOut } = await readCatalog(TODAY);
const listed = models.map(({ model, aliases = [], source, ...terms }) => ({
  model,
  aliases: [...aliases].sort(),
  source: source ?? null,
  ...termsOf(terms),
}));

test("the catalog is a book that the server takes, with the models that everybody uses", () => {
  expect(newPriceBook.safeParse({ models }).error).toBeUndefined();
  expect(models.length).toBeGreaterThan(1000);
  const names = namesOf(listed);
  for (const name of ["gpt-4o-mini", "openai/gpt-4o-mini", "claude-sonnet-4-5", "google/gemini-2.5-pro"]) {
    expect([name, names.has(name)]).toEqual([name, true]);
  }
  expect(names.get("gpt-4o-mini-2024-07-18")).toBe("gpt-4o-mini");
  expect(names.get(undatedName("anthropic/claude-sonnet-4-5-20250929") ?? "")).toBe("claude-sonnet-4-5");
  expect(leftOut).not.toContain("gpt-4o-mini");
});

test("makers' models cost what the catalog itself works out", () => {
  const usages = [
    { input_tokens: 1000, output_tokens: 500 },
    { input_tokens: 250_001, output_tokens: 4321, cache_read_tokens: 100_000 },
  ];
  let compared = 0;
  for (const { model, provider, ...row } of listed) {
    if (provider === null || findProvider({ providerId: provider }) === undefined) continue;
    for (const usage of usages) {
      const theirs = calcPrice(usage, model, { providerId: provider, timestamp: TODAY });
      const asked = theirs?.model.id === model ? theirs.total_price : null;
      if (asked === null || row.units["audio_hour"] !== undefined) continue;
      const ours = costOf(priceOf({ provider, ...row }), usage);
      expect([model, Number(ours) / 1e9]).toEqual([model, expect.closeTo(asked, 8)]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(300);
});

test("imported twice it changes nothing, and keeps rows of others", () => {
  const first = importInto([], models);
  expect(first.changes).toHaveLength(models.length);
  expect(importInto(listed, models).changes).toEqual([]);
  const own = {
    ...termsOf({ input_usd_per_mtok: "1", output_usd_per_mtok: "1" }),
    aliases: [],
    source: null,
  };
  const mixed = importInto([...listed, { model: "ours", ...own }], models);
  expect(mixed.changes).toEqual([]);
  expect(mixed.models.at(-1)).toMatchObject({ model: "ours", input_usd_per_mtok: "1.00" });
  expect(newPriceBook.safeParse({ models: mixed.models }).error).toBeUndefined();
  const taken = importInto([{ model: "gpt-4o-mini", ...own }], models);
  expect(taken.models.filter(({ model }) => model === "gpt-4o-mini")).toMatchObject([
    { input_usd_per_mtok: "1.00" },
  ]);
});

test("each change is a line that says what it was and what it becomes", () => {
  const [mini] = listed.filter(({ model }) => model === "gpt-4o-mini");
  if (mini === undefined) throw new Error("no gpt-4o-mini");
  const before = [
    { ...mini, input_usd_per_mtok: "9.00" },
    { ...mini, model: "gone", source: CATALOG },
  ];
  const { changes } = importInto(before, models);
  expect(changes).toContain("~ gpt-4o-mini: input_usd_per_mtok 9.00 -> 0.15");
  expect(changes).toContain("- gone");
  expect(changes).toContain("+ gpt-4o: input 2.50, output 10.00");
});

test("a price with parts that the book cannot say is left out, not guessed", () => {
  expect(termsIn({ input_mtok: 1, output_mtok: 1, requests_kcount: 5 })).toBeNull();
  expect(termsIn({ input_mtok: 1, input_video_mtok: 5 })).toBeNull();
  expect(termsIn({})).toBeNull();
  expect(termsIn({ input_mtok: 1, web_searches_kcount: 10 })).toEqual({
    input_usd_per_mtok: "1",
    output_usd_per_mtok: "0",
    units: { web_search: "0.01" },
  });
});

test("a price that depends on the date is the one of that day", async () => {
  const earlier = await readCatalog(new Date("2025-06-09T00:00:00Z"));
  const rate = (all: typeof models) => all.find(({ model }) => model === "o3")?.input_usd_per_mtok;
  expect([rate(earlier.models), rate(models)]).toEqual(["10", "2"]);
});

test("names are those that surely match", () => {
  expect(namesIn({ or: [{ equals: "a" }, { starts_with: "b" }, { contains: "c" }, { regex: "d" }] })).toEqual(
    ["a", "b-########", "b-####-##-##", "b@########"],
  );
  expect(undatedName("claude-20250929")).toBe("claude-########");
  expect(undatedName("gpt-2024-07-18")).toBe("gpt-####-##-##");
  expect(undatedName("claude@20250929")).toBe("claude@########");
  expect(undatedName("m20250929")).toBeNull();
});

test("a name that two models claim alike is neither's", () => {
  const row = { provider: null, aliases: ["same"] };
  const names = namesOf([
    { ...row, model: "a" },
    { ...row, model: "b" },
    { model: "x/c", provider: "x", aliases: [] },
    { model: "y/c", provider: "y", aliases: [] },
  ]);
  expect([...names.keys()]).toEqual(["a", "b", "x/c", "y/c"]);
});
