import type { PriceShown } from "../../contract/resources/prices.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { cached } from "../../domain/cached.ts";
import { type History, nextChange, priceAt, type Source } from "../../domain/price/history.ts";
import { otherName } from "../../domain/price/names.ts";
import { Copy } from "../kernel/copies.ts";
import { Revision, type RevisionRow } from "./revision.ts";

const COLUMNS = "revision, model, other_name, source, platform_revision, effective_at, created_at, terms";

/** The price of a model by name: the org's own price of that name, then of its other name, then the platform's. */
export class NamedPrices {
  readonly own: History<Revision>;
  readonly platform: History<Revision>;
  /** The org's own models that have, or had, the name as their other one. */
  readonly #others: Source<Revision>;

  constructor(name: string, rows: readonly Revision[]) {
    const own = rows.filter(({ source }) => source === "org");
    this.own = own.filter(({ model }) => model === name);
    this.platform = rows.filter(({ source, model }) => source === "platform" && model === name);
    const platform = new Set(this.platform.map(({ otherName: other }) => other));
    this.#others = {
      histories: [...byModel(own.filter(({ model }) => model !== name)).values()],
      // Where the org does not say whose model it is, the platform's book knows which two names are one model's.
      isMeant: ({ model, otherName: other }) => other === name || (other === null && platform.has(model)),
    };
  }

  get #sources(): readonly Source<Revision>[] {
    return [{ histories: [this.own] }, this.#others, { histories: [this.platform] }];
  }

  at(atMs: number, nowMs: number): Revision | null {
    return priceAt(this.#sources, atMs, nowMs);
  }

  nextChange(nowMs: number): number | null {
    return nextChange(this.#sources, nowMs);
  }

  /** Every revision under the name. Those of several models that share it are under their own names only. */
  all(): readonly Revision[] {
    const { histories, isMeant = () => true } = this.#others;
    const shared = histories.filter((history) => history.some((one) => !one.isRemoved && isMeant(one)));
    const other = shared.length === 1 ? (shared[0] ?? []) : [];
    return [...this.own, ...other.filter((one) => one.isRemoved || isMeant(one)), ...this.platform];
  }
}

function byModel(rows: readonly Revision[]): Map<string, Revision[]> {
  const models = new Map<string, Revision[]>();
  for (const row of rows) cached(models, row.model, () => []).push(row);
  return models;
}

const MOST_NAMES = 1000;
const copies = new Copy<BoundedMap<string, NamedPrices>>();

export function pricesOf(sql: SqlStorage, name: string): NamedPrices {
  const known = copies.get(sql, () => new BoundedMap(MOST_NAMES));
  let prices = known.get(name);
  if (prices === undefined) {
    const rows = sql
      .exec<RevisionRow>(
        `SELECT ${COLUMNS} FROM price_revisions WHERE model = ?1
           OR model IN (SELECT model FROM price_revisions WHERE other_name = ?1)
           OR model IN (SELECT other_name FROM price_revisions WHERE model = ?1)
         ORDER BY effective_at, revision`,
        name,
      )
      .toArray();
    prices = new NamedPrices(
      name,
      rows.map((row) => new Revision(row)),
    );
    known.set(name, prices);
  }
  return prices;
}

export function loadRevision(sql: SqlStorage, revision: number): Revision | null {
  const [row] = sql
    .exec<RevisionRow>(`SELECT ${COLUMNS} FROM price_revisions WHERE revision = ?`, revision)
    .toArray();
  return row === undefined ? null : new Revision(row);
}

/** Null terms mean removed from then on. */
export type NewRevision = Pick<Revision, "model" | "source" | "effectiveAt" | "createdAt"> & {
  readonly platformRevision: number | null;
  readonly terms: PriceShown | null;
};

export function insertRevision(sql: SqlStorage, made: NewRevision): Revision {
  const provider = made.terms?.provider ?? null;
  const row = sql
    .exec<RevisionRow>(
      `INSERT INTO price_revisions (model, other_name, source, platform_revision, effective_at, created_at, terms)
       VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
      made.model,
      provider === null ? null : otherName(made.model, provider),
      made.source,
      made.platformRevision,
      made.effectiveAt,
      made.createdAt,
      made.terms === null ? null : JSON.stringify(made.terms),
    )
    .one();
  forgetPrices(sql);
  return new Revision(row);
}

export function forgetPrices(sql: SqlStorage): void {
  copies.forget(sql);
}
