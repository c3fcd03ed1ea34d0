import type { PriceMatch } from "../../contract/price-match.ts";
import { cached } from "../../domain/cache/cached.ts";
import {
  type History,
  findRevisionAt,
  nextChange,
  priceAt,
  type Source,
} from "../../domain/price/history.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import { fineTunedBase } from "../../domain/price/names.ts";
import type { Providers } from "../../domain/price/providers.ts";
import type { Revision } from "./revision.ts";

/** Prices of a name, in the order in which they apply. */
interface NamedSource extends Source<Revision> {
  /** How the name leads there. Of the platform's prices, each revision says it. */
  readonly matchedBy: PriceMatch;
}

export interface FoundPrice {
  readonly revision: Revision;
  readonly matchedBy: PriceMatch;
}

/**
 * The price of a model as calls name it. An org's own price applies before the platform's, unless it is for another
 * provider than the call's and the platform has a price for that provider.
 */
export class NamedPrices {
  readonly own: History<Revision>;
  readonly platform: History<Revision>;
  readonly #name: ModelName;
  /** The prices of the call's provider in the platform's book. Empty if the book has not been asked. */
  readonly hosted: History<Revision>;
  /** The org's own models that have, or had, the name as their other one. */
  readonly #others: Source<Revision>;
  readonly #ofProvider: readonly NamedSource[];
  readonly #sources: readonly NamedSource[];

  /** `provider` of the name is as the book calls it, if the book knows it. */
  constructor(name: ModelName, rows: readonly Revision[], providers: Providers) {
    const { model, provider } = name;
    this.#name = name;
    const own = rows.filter(({ source }) => source === "org");
    const ownOf = (wanted: string) => own.filter((row) => row.model === wanted);
    this.own = ownOf(model);
    const platform = rows.filter(({ source }) => source === "platform");
    this.platform = platform.filter((row) => row.model === model && row.askedProvider === "");
    this.hosted = platform.filter(
      (row) =>
        provider !== undefined && row.askedProvider === provider && row.model === `${provider}/${model}`,
    );
    const otherNames = new Set(this.platform.map(({ otherName: other }) => other));
    this.#others = {
      histories: [...byModel(own.filter((row) => row.model !== model)).values()],
      // Where the org does not say whose model it is, the platform's book knows which two names are one model's.
      isMeant: (row) => row.otherName === model || (row.otherName === null && otherNames.has(row.model)),
    };
    const base = fineTunedBase(model);
    const names = base === null ? [model] : [model, base];
    const isOf = (row: Revision) => {
      const { provider: whose } = row;
      return whose !== null && (whose === provider || providers.named(whose) === provider);
    };
    this.#ofProvider = some(
      provider === undefined
        ? []
        : names.flatMap((one): NamedSource[] => [
            {
              histories: [ownOf(`${provider}/${one}`)],
              isMeant: (row) => row.provider === null || isOf(row),
              matchedBy: "provider_and_model",
            },
            { histories: [ownOf(one)], isMeant: isOf, matchedBy: "provider_and_model" },
            { histories: [ownOf(one)], isMeant: (row) => row.provider === null, matchedBy: "model" },
          ]),
    );
    this.#sources = [
      ...this.#ofProvider,
      ...some([
        { histories: [this.hosted], matchedBy: "provider_and_model" },
        { histories: [this.own], matchedBy: "model" },
        { ...this.#others, matchedBy: "model" },
        ...(base === null ? [] : [{ histories: [ownOf(base)], matchedBy: "model_rule" as const }]),
        { histories: [this.platform], matchedBy: "model" },
      ]),
    ];
  }

  at(atMs: number, nowMs: number): Revision | null {
    return priceAt(this.#sources, atMs, nowMs);
  }

  /** The price that applies now, and how the name leads to it. */
  found(nowMs: number): FoundPrice | null {
    for (const source of this.#sources) {
      const revision = priceAt([source], nowMs, nowMs);
      if (revision !== null) return { revision, matchedBy: revision.found?.matchedBy ?? source.matchedBy };
    }
    return null;
  }

  nextChange(nowMs: number): number | null {
    return nextChange(this.#sources, nowMs);
  }

  /**
   * Returns what the platform's book must be asked for before this name can be priced. The org's own price for the
   * provider needs no book, and the provider's price in the book needs no other.
   */
  wanted(nowMs: number, isKnown: (provider: string) => boolean): ModelName[] {
    const { model, provider } = this.#name;
    if (priceAt(this.#ofProvider, nowMs, nowMs) !== null || findRevisionAt(this.hosted, nowMs) !== null)
      return [];
    const atProvider = provider !== undefined && this.hosted.length === 0 && isKnown(provider);
    return [
      ...(atProvider ? [{ provider, model }] : []),
      ...(this.at(nowMs, nowMs) === null ? [{ model }] : []),
    ];
  }

  /** Every revision under the name. Those of several models that share it are under their own names only. */
  all(): readonly Revision[] {
    const { histories, isMeant = () => true } = this.#others;
    const shared = histories.filter((history) => history.some((one) => !one.isRemoved && isMeant(one)));
    const other = shared.length === 1 ? (shared[0] ?? []) : [];
    return [
      ...this.own,
      ...other.filter((one) => one.isRemoved || isMeant(one)),
      ...this.hosted,
      ...this.platform,
    ];
  }
}

/** Without sources that have no prices, because each is tried for every run. */
function some(sources: readonly NamedSource[]): NamedSource[] {
  return sources.filter(({ histories }) => histories.some((history) => history.length > 0));
}

function byModel(rows: readonly Revision[]): Map<string, Revision[]> {
  const models = new Map<string, Revision[]>();
  for (const row of rows) cached(models, row.model, () => []).push(row);
  return models;
}
