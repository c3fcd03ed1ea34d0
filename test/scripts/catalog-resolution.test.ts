import type { MatchLogic, ModelInfo } from "@pydantic/genai-prices";
import { expect, test } from "vitest";
import { BookIndex } from "../../src/domain/price/book-index.ts";
import { installedProviders, readCatalog } from "../../scripts/price-book/catalog.ts";
import { patternsIn } from "../../scripts/price-book/model-names.ts";
import { bookProvider } from "../../scripts/price-book/providers.ts";

const catalog = await installedProviders();
const { models, providers, leftOut } = await readCatalog(new Date("2026-11-15T12:00:00Z"));
const rows = new Map(models.map((row) => [row.model, row]));
const index = new BookIndex(
  models.map(({ model, provider = null, aliases = [] }) => ({ model, provider, aliases })),
  providers.map(bookProvider),
);

/** As the catalog itself reads its rules. */
function fits(match: MatchLogic, name: string): boolean {
  if ("or" in match) return match.or.some((one) => fits(one, name));
  if ("and" in match) return match.and.every((one) => fits(one, name));
  const text = name.toLowerCase();
  if ("equals" in match) return text === match.equals.toLowerCase();
  if ("starts_with" in match) return text.startsWith(match.starts_with.toLowerCase());
  if ("ends_with" in match) return text.endsWith(match.ends_with.toLowerCase());
  if ("contains" in match) return text.includes(match.contains.toLowerCase());
  return new RegExp(match.regex).test(name);
}

/** Names that a model's rules accept, in the spellings that prefixes, dates and versions give them. */
function namesFor(model: ModelInfo): string[] {
  const fillings = ["", "-20260131", "-2026-01-31", "-v1:0", "@20260131", "-preview", "7"];
  const patterns = (patternsIn(model.match) ?? []).filter((pattern) => !pattern.startsWith("!"));
  const names = patterns.flatMap((pattern) =>
    fillings.map((filling) => pattern.replaceAll("#", "7").replaceAll("*", filling)),
  );
  return [...new Set(names)].filter((name) => fits(model.match, name));
}

function rowOf(provider: string, model: ModelInfo): string | undefined {
  return [`${provider}/${model.id}`, model.id].find((name) => rows.get(name)?.provider === provider);
}

test("every model of every provider is found by its id, and by every name that its rules accept", () => {
  let ids = 0;
  let names = 0;
  for (const provider of catalog) {
    for (const model of provider.models) {
      const row = rowOf(provider.id, model);
      if (row === undefined) {
        expect(leftOut.some((name) => name === model.id || name === `${provider.id}/${model.id}`)).toBe(true);
        continue;
      }
      expect([provider.id, model.id, index.findAt(provider.id, model.id)?.model]).toEqual([
        provider.id,
        model.id,
        row,
      ]);
      ids += 1;
      for (const name of namesFor(model)) {
        // Where rules of several models accept a name, the catalog takes the first, which may have no price.
        const first = provider.models.find(({ match }) => fits(match, name)) ?? model;
        const meant = rowOf(provider.id, first) ?? row;
        expect([provider.id, name, index.findAt(provider.id, name)?.model]).toEqual([
          provider.id,
          name,
          meant,
        ]);
        names += 1;
      }
    }
  }
  expect({ ids, names, leftOut: leftOut.length }).toMatchInlineSnapshot(`
    {
      "ids": 1686,
      "leftOut": 10,
      "names": 4803,
    }
  `);
});

test("every rule of the catalog can be written as patterns of the book", () => {
  const rules = catalog.flatMap(({ models: listed, provider_match: names, model_match: claimed }) =>
    [names, claimed, ...listed.map((model) => model.match)].filter((match) => match !== undefined),
  );
  expect(rules.length).toBeGreaterThan(1700);
  expect(rules.filter((match) => patternsIn(match) === null)).toEqual([]);
});

test("a call without a provider is never priced by the row of a host that only happens to list the model", () => {
  const hosts = new Set(
    providers.filter(({ hosts: isHost }) => isHost === true).map(({ provider }) => provider),
  );
  const guessed = catalog
    .filter(({ id }) => hosts.has(id))
    .flatMap(({ models: listed }) => listed.map(({ id }) => id))
    .filter((id) => {
      const whose = rows.get(index.find(id)?.model ?? "")?.provider;
      const claims = catalog.find(
        ({ model_match: claimed }) => claimed !== undefined && fits(claimed, id),
      )?.id;
      const isPrefix = catalog.some((one) => id.startsWith(`${one.id}/`));
      return whose !== undefined && hosts.has(whose) && claims !== whose && !isPrefix;
    });
  expect(guessed).toEqual([]);
});

test("a fine-tuned model has the price that the catalog has for such models, or none, whoever serves it", () => {
  const at = ["openai", "azure"];
  const rowsFor = (name: string) => [
    index.find(name)?.model ?? null,
    ...at.map((provider) => index.findAt(provider, name)?.model ?? null),
  ];
  const dated = "ft:gpt-4o-mini-2024-07-18:acme::id";
  expect([rowsFor(dated), rowsFor("ft:gpt-4o-2024-08-06:acme::id")]).toEqual([
    ["ft:gpt-4o-mini", "ft:gpt-4o-mini", "ft:gpt-4o-mini"],
    ["ft:gpt-4o", "ft:gpt-4o", "ft:gpt-4o"],
  ]);
  expect(rowsFor("ft:o4-mini-2025-04-16:acme::id")).toEqual([null, null, null]);
  // A rule of the catalog may name fine-tuned models in the row of their base.
  const isOfBase = (name: string, found: string) => {
    const { aliases = [] } = rows.get(found) ?? {};
    return (
      !found.includes("ft") && !aliases.some((alias) => alias.startsWith("ft:") && fitsAlias(alias, name))
    );
  };
  const fitsAlias = (alias: string, name: string) => name.startsWith(alias.replace("*", ""));
  const asBase = providers.flatMap(({ provider }) =>
    models.flatMap(({ model }) => {
      const name = `ft:${model}:acme::id`;
      const found = index.findAt(provider, name)?.model;
      return found !== undefined && isOfBase(name, found) ? [[provider, name, found]] : [];
    }),
  );
  expect(asBase).toEqual([]);
});
