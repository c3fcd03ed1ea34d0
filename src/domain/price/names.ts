import type { ListedModel } from "../../contract/resources/price-book.ts";
import { cached } from "../cache/cached.ts";
import { isExclusion } from "./name-pattern.ts";

export type BookRow = Pick<ListedModel, "model" | "provider" | "aliases">;

/**
 * How models in a book are found without a provider: by their own names first, then with and without the provider's
 * prefix, then by their aliases. A name that two models claim equally matches neither, because a price is never guessed.
 * Rows that are named with their provider claim what is left. Those of a provider that hosts other people's models have
 * their own names only.
 */
export function namesOf(
  models: readonly BookRow[],
  isHost: (provider: string) => boolean = () => false,
): Map<string, string> {
  const names = new Map(models.map(({ model }) => [model, model]));
  const known = models.filter(({ provider }) => provider === null || !isHost(provider));
  for (const isPrefixed of [false, true]) {
    const rows = known.filter((row) => hasPrefix(row) === isPrefixed);
    addClear(names, rows, ({ model, provider }) => (provider === null ? [] : [otherName(model, provider)]));
    addClear(names, rows, ({ provider, aliases }) =>
      aliases
        .filter(isPlain)
        .flatMap((alias) => (provider === null ? [alias] : [alias, otherName(alias, provider)])),
    );
  }
  return names;
}

function hasPrefix({ model, provider }: BookRow): boolean {
  return provider !== null && model.startsWith(`${provider}/`);
}

function isPlain(alias: string): boolean {
  return !alias.includes("*") && !isExclusion(alias);
}

function addClear(
  names: Map<string, string>,
  models: readonly BookRow[],
  claimsOf: (one: BookRow) => string[],
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

/** A fine-tuned model as `ft:<base>`, of a name such as `ft:<base>:<org>::<id>`. Null for other names. */
export function fineTunedBase(name: string): string | null {
  return /^(ft:[^:]+):/i.exec(name)?.[1] ?? null;
}

/** As providers name what was trained for one customer: `ft:<base>:…`, `<base>.ft-…` and `<base>:ft-…`. */
const FINE_TUNED = /(?:^|[/:.*])ft[:-]/i;

/**
 * Returns whether a name is of a fine-tuned model, or a pattern fits such names only. They cost more than their base, so
 * a pattern that was written for the base says nothing about them.
 */
export function isFineTuned(nameOrPattern: string): boolean {
  return FINE_TUNED.test(nameOrPattern);
}

/** The name of the model that was trained, with what follows it. */
export function withoutFineTuned(name: string): string {
  return name.replace(/^ft:/i, "");
}
