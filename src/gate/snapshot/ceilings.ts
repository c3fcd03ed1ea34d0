import type { ModelName } from "../../domain/price/model-name.ts";
import type { Ceiling } from "../../domain/price/ceiling.ts";

/** The most that calls of a model may cost, and until when, by the org's clock. */
export interface KnownCeiling extends Ceiling {
  readonly untilMs: number | null;
  /** The most tokens of a request, and of its output. Null if the price does not state them. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

const MOST_KNOWN = 2000;

/** The most that calls of a model may cost, by provider and model. Null for a model without a price. */
export class Ceilings {
  /** By provider, because joining two names for each call costs more than looking up each of them. */
  readonly #known = new Map<string | undefined, Map<string, KnownCeiling | null>>();
  #size = 0;

  /** Undefined if it is not known. */
  get({ provider, model }: ModelName): KnownCeiling | null | undefined {
    return this.#known.get(provider)?.get(model);
  }

  set({ provider, model }: ModelName, ceiling: KnownCeiling | null): void {
    if (this.#size >= MOST_KNOWN) this.clear();
    let ofProvider = this.#known.get(provider);
    if (ofProvider === undefined) {
      ofProvider = new Map();
      this.#known.set(provider, ofProvider);
    }
    if (!ofProvider.has(model)) this.#size += 1;
    ofProvider.set(model, ceiling);
  }

  clear(): void {
    this.#known.clear();
    this.#size = 0;
  }
}
