import { expect, test } from "vitest";
import { readCatalog } from "../../scripts/price-book/catalog.ts";
import { PUBLISHED } from "../domain/price/examples.ts";

const { models } = await readCatalog(new Date("2026-11-15T12:00:00Z"));
const catalog = new Map(models.map((row) => [row.model, row]));

/** What the worked examples take from a provider's page and the catalog does not list. */
const NOT_IN_CATALOG = ["gpt-image-1 image_output_usd_per_mtok"];
/** Models without output have no rate for it in the catalog. The book has that of their input: nothing is free by omission. */
const WITHOUT_OUTPUT = ["text-embedding-3-small output_usd_per_mtok"];
const MODELS_NOT_IN_CATALOG = ["claude-haiku-3", "gemini-2.5-flash-preview-tts"];

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
