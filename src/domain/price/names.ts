import type { ListedModel } from "../../contract/resources/price-book.ts";
import { cached } from "../cached.ts";

type Named = Pick<ListedModel, "model" | "provider" | "aliases">;

/**
 * How models in a book are found: by their own names first, then with and without the provider's prefix, then by their
 * aliases. A name that two models claim equally matches neither, because a price is never guessed.
 */
export function namesOf(models: readonly Named[]): Map<string, string> {
  const names = new Map(models.map(({ model }) => [model, model]));
  addClear(names, models, ({ model, provider }) => (provider === null ? [] : [otherName(model, provider)]));
  addClear(names, models, ({ provider, aliases }) =>
    aliases.flatMap((alias) => (provider === null ? [alias] : [alias, otherName(alias, provider)])),
  );
  return names;
}

function addClear(
  names: Map<string, string>,
  models: readonly Named[],
  claimsOf: (one: Named) => string[],
): void {
  const claims = new Map<string, Set<string>>();
  for (const one of models) {
    for (const name of claimsOf(one)) {
      if (!names.has(name)) cached(claims, name, () => new Set<string>()).add(one.model);
    }
  }
  for (const [name, [model, ...others]] of claims) {
    if (model !== undefined && others.length === 0) names.set(name, model);
  }
}

/** The name with the provider's prefix, or without it. */
export function otherName(model: string, provider: string): string {
  const prefix = `${provider}/`;
  return model.startsWith(prefix) ? model.slice(prefix.length) : prefix + model;
}

const DATED = /(?<=[-@])(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** A dated version as aliases write it: with `#` for each digit of the date. Null without a date. */
export function undatedName(name: string): string | null {
  const undated = name.replace(DATED, (date) => date.replaceAll(/\d/g, "#"));
  return undated === name ? null : undated;
}
