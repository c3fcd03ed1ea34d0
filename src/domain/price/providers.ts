import type { BookProvider } from "../../contract/resources/price-book.ts";
import { anyPattern, type NamePattern } from "./name-pattern.ts";

/** The providers that a book knows: the names by which callers mean them, and the models that they claim. */
export class Providers {
  readonly #known: ReadonlyMap<string, CompiledProvider>;

  /** `others` have rows in the book, and no more than that is known of them. */
  constructor(given: readonly BookProvider[], others: readonly string[]) {
    const known = new Map(given.map((one) => [one.provider, compiled(one)]));
    for (const provider of others) if (!known.has(provider)) known.set(provider, compiled(unknown(provider)));
    this.#known = known;
  }

  list(): BookProvider[] {
    return Array.from(this.#known.values(), ({ given }) => given);
  }

  has(provider: string): boolean {
    return this.#known.has(provider);
  }

  /** Returns whether it hosts models of others, so that their names alone do not mean its rows. */
  isHost(provider: string): boolean {
    return this.#known.get(provider)?.isHost === true;
  }

  fallbacksOf(provider: string): readonly string[] {
    return this.#known.get(provider)?.fallbacks ?? [];
  }

  /** The provider that a caller's text means, such as `aws` for `amazon-bedrock`. Null if it is not known. */
  named(text: string): string | null {
    if (this.#known.has(text)) return text;
    const name = text.trim().toLowerCase();
    if (this.#known.has(name)) return name;
    for (const [provider, { names }] of this.#known) if (names(name)) return provider;
    return null;
  }

  /** The first provider that claims models of such names. */
  claiming(model: string): string | null {
    const name = model.toLowerCase();
    for (const [provider, { models }] of this.#known) if (models(name)) return provider;
    return null;
  }
}

interface CompiledProvider {
  readonly given: BookProvider;
  readonly isHost: boolean;
  readonly fallbacks: readonly string[];
  readonly names: NamePattern;
  readonly models: NamePattern;
}

function compiled(given: BookProvider): CompiledProvider {
  const { hosts, fallbacks, names, models } = given;
  return { given, isHost: hosts, fallbacks, names: anyPattern(names), models: anyPattern(models) };
}

function unknown(provider: string): BookProvider {
  return { provider, names: [], models: [], fallbacks: [], hosts: false };
}
