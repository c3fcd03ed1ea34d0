import type { BookProvider } from "../../contract/resources/price-book.ts";
import type { PriceMatch } from "../../contract/price-match.ts";
import type { ModelName } from "./model-name.ts";
import {
  type BookRow,
  fineTunedBase,
  isFineTuned,
  namesOf,
  otherName,
  undatedName,
  withoutFineTuned,
} from "./names.ts";
import { anyPattern, isExclusion, isLiteral, type NamePattern, namePattern } from "./name-pattern.ts";
import { Providers } from "./providers.ts";

/** The row of a book that a name means, and by which rule. */
export interface FoundRow {
  readonly model: string;
  readonly matchedBy: PriceMatch;
  /** The pattern that the name fits. Null if the name is written in the row. */
  readonly rule: string | null;
}

/** Rows of one provider: by names, then by patterns, the longest first. */
interface ProviderRows {
  /** Null for a name that two rows have. */
  readonly names: ReadonlyMap<string, string | null>;
  readonly patterns: readonly RowPattern[];
}

interface RowPattern {
  readonly model: string;
  readonly rule: string;
  readonly fits: NamePattern;
  readonly excludes: NamePattern;
}

/** How the models of a book are found: by provider and model first, then by model. It is built once for each revision. */
export class BookIndex {
  readonly providers: Providers;
  readonly #names: ReadonlyMap<string, string>;
  readonly #rows = new Map<string, ProviderRows>();

  constructor(rows: readonly BookRow[], given: readonly BookProvider[]) {
    this.providers = new Providers(
      given,
      rows.flatMap(({ provider }) => provider ?? []),
    );
    this.#names = namesOf(rows, (provider) => this.providers.isHost(provider));
    const byProvider = Map.groupBy(rows, ({ provider }) => provider);
    for (const [provider, own] of byProvider) {
      if (provider !== null) this.#rows.set(provider, rowsOf(provider, own));
    }
  }

  /** Only by the rows of the provider, or of those that it falls back to. The provider is one of `providers`. */
  findAt(provider: string, model: string): FoundRow | null {
    for (const name of spellingsOf(model)) {
      for (const one of [provider, ...this.providers.fallbacksOf(provider)]) {
        const found = this.#findIn(one, name);
        if (found !== null) return found;
      }
    }
    return null;
  }

  /** By a name without a provider: a name of a row, `provider/model`, or a model of a provider that claims such names. */
  find(model: string): FoundRow | null {
    const named = this.#named(model);
    if (named !== null) return { model: named, matchedBy: "model", rule: null };
    const found = this.#prefixed(model) ?? this.#claimed(model);
    return found === null ? null : { ...found, matchedBy: found.rule === null ? "model" : "model_rule" };
  }

  #named(model: string): string | null {
    const base = fineTunedBase(model);
    for (const name of [model, undatedName(model), base, undatedName(base ?? "")]) {
      const found = name === null ? undefined : this.#names.get(name);
      if (found !== undefined) return found;
    }
    return null;
  }

  #prefixed(model: string): FoundRow | null {
    const end = model.indexOf("/");
    const provider = model.slice(0, Math.max(end, 0));
    return this.providers.has(provider) ? this.findAt(provider, model.slice(end + 1)) : null;
  }

  #claimed(model: string): FoundRow | null {
    const provider = this.providers.claiming(model) ?? this.providers.claiming(withoutFineTuned(model));
    return provider === null ? null : this.findAt(provider, model);
  }

  #findIn(provider: string, model: string): FoundRow | null {
    const rows = this.#rows.get(provider);
    if (rows === undefined) return null;
    const base = fineTunedBase(model);
    const names = (base === null ? [model] : [model, base]).map((name) => name.toLowerCase());
    for (const name of names) {
      const found = rows.names.get(name);
      if (found !== undefined && found !== null)
        return { model: found, matchedBy: "provider_and_model", rule: null };
    }
    for (const name of names) {
      const found = clearest(rows.patterns, name);
      if (found !== null) return { model: found.model, matchedBy: "provider_rule", rule: found.rule };
    }
    return null;
  }
}

/** The longest pattern that fits. Null also if patterns of two rows are equally long: a price is never guessed. */
function clearest(patterns: readonly RowPattern[], name: string): RowPattern | null {
  const isTuned = isFineTuned(name);
  const fitting = patterns.filter(
    ({ rule, fits, excludes }) => fits(name) && !excludes(name) && (!isTuned || isFineTuned(rule)),
  );
  const [first] = fitting;
  if (first === undefined) return null;
  const isClear = fitting.every(
    ({ model, rule }) => model === first.model || weight(rule) < weight(first.rule),
  );
  return isClear ? first : null;
}

function rowsOf(provider: string, rows: readonly BookRow[]): ProviderRows {
  const names = new Map<string, string | null>();
  const patterns: RowPattern[] = [];
  for (const { model, aliases } of rows) {
    const excludes = anyPattern(aliases.filter(isExclusion).map((one) => one.slice(1)));
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      if (isLiteral(alias)) names.set(name, (names.get(name) ?? model) === model ? model : null);
      else if (!isExclusion(alias)) {
        patterns.push({ model, rule: alias, fits: namePattern(alias), excludes });
      }
    }
  }
  // A row's own name is its own, whatever aliases others have.
  for (const { model } of rows) {
    if (model.startsWith(`${provider}/`)) names.set(otherName(model, provider).toLowerCase(), model);
  }
  for (const { model } of rows) names.set(model.toLowerCase(), model);
  return { names, patterns: patterns.sort((a, b) => weight(b.rule) - weight(a.rule)) };
}

function weight(rule: string): number {
  return rule.replaceAll("*", "").length;
}

const COMPACT_DATE = /-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)/g;

/** A name as it is, and with its date written with hyphens, as some providers do. */
function spellingsOf(model: string): string[] {
  const other = model.replaceAll(COMPACT_DATE, "-$1-$2-$3");
  return other === model ? [model] : [model, other];
}

/** Returns what an org's object asks the book for: a name at a provider, or alone. */
export function lookUp(index: BookIndex, { provider, model }: ModelName): FoundRow | null {
  return provider === undefined ? index.find(model) : index.findAt(provider, model);
}
