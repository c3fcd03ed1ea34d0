import type { PriceRevision, PriceShown } from "../../contract/resources/prices.ts";
import { type Ceiling, ceilingOf } from "../../domain/price/ceiling.ts";
import type { Dated } from "../../domain/price/history.ts";
import type { Price } from "../../domain/price/price.ts";
import { priceOf } from "../../domain/price/terms.ts";

export type RevisionRow = {
  revision: number;
  model: string;
  other_name: string | null;
  source: PriceRevision["source"];
  platform_revision: number | null;
  effective_at: number;
  created_at: number;
  terms: string | null;
};

/** A revision with its terms, also in the form that rules use. */
export class Revision implements Dated {
  readonly revision: number;
  readonly model: string;
  readonly otherName: string | null;
  readonly source: PriceRevision["source"];
  readonly platformRevision: number | null;
  readonly effectiveAt: number;
  readonly createdAt: number;
  readonly #text: string | null;
  #price: Price | null = null;
  #ceiling: Ceiling | null = null;

  constructor(row: RevisionRow) {
    this.revision = row.revision;
    this.model = row.model;
    this.otherName = row.other_name;
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

  get price(): Price {
    this.#price ??= priceOf(this.terms);
    return this.#price;
  }

  get ceiling(): Ceiling {
    this.#ceiling ??= ceilingOf(this.price);
    return this.#ceiling;
  }

  has(terms: PriceShown | null): boolean {
    return this.#text === (terms === null ? null : JSON.stringify(terms));
  }
}
