import type { PriceRevision, PriceShown } from "../../contract/resources/prices/prices.ts";
import { type Ceiling, ceilingOf } from "../../domain/price/ceiling.ts";
import type { FoundRow } from "../../domain/price/book-index.ts";
import type { DatedTerms } from "../../domain/price/history.ts";
import type { Price } from "../../domain/price/price.ts";
import { priceOf } from "../../domain/price/terms.ts";

export type RevisionRow = {
  revision: number;
  model: string;
  other_name: string | null;
  provider: string;
  found: string | null;
  source: PriceRevision["source"];
  platform_revision: number | null;
  effective_at: number;
  created_at: number;
  terms: string | null;
};

/** A revision with its terms, also in the form that rules use. */
export class Revision implements DatedTerms {
  readonly revision: number;
  readonly model: string;
  readonly otherName: string | null;
  /** The provider that the platform's book was asked for. Empty if it was asked for the name alone. */
  readonly askedProvider: string;
  /** How the name leads to the platform's row. Null for the org's own. */
  readonly found: FoundRow | null;
  readonly source: PriceRevision["source"];
  readonly platformRevision: number | null;
  readonly effectiveAt: number;
  readonly createdAt: number;
  readonly #text: string | null;
  #price: Price | null = null;
  #ceiling: Ceiling | null = null;
  /** Undefined until it is read. */
  #provider: string | null | undefined = undefined;

  constructor(row: RevisionRow) {
    this.revision = row.revision;
    this.model = row.model;
    this.otherName = row.other_name;
    this.askedProvider = row.provider;
    this.found = row.found === null ? null : (JSON.parse(row.found) as FoundRow);
    this.source = row.source;
    this.platformRevision = row.platform_revision;
    this.effectiveAt = row.effective_at;
    this.createdAt = row.created_at;
    this.#text = row.terms;
  }

  get isRemoved(): boolean {
    return this.#text === null;
  }

  get terms(): PriceShown {
    if (this.#text === null) throw new Error("a removed price has no terms");
    return JSON.parse(this.#text) as PriceShown;
  }

  /** The provider that the price is for. Null if it does not say. */
  get provider(): string | null {
    if (this.#provider === undefined) this.#provider = this.#text === null ? null : this.terms.provider;
    return this.#provider;
  }

  get price(): Price {
    this.#price ??= priceOf(this.terms);
    return this.#price;
  }

  get ceiling(): Ceiling {
    this.#ceiling ??= ceilingOf(this.price);
    return this.#ceiling;
  }

  isFoundAs(found: FoundRow | null): boolean {
    return JSON.stringify(this.found) === JSON.stringify(found);
  }

  has(terms: PriceShown | null): boolean {
    return this.#text === (terms === null ? null : JSON.stringify(terms));
  }
}
