import type { PriceShown } from "../../contract/resources/prices.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { type History, nextChange, priceAt } from "../../domain/price/history.ts";
import { otherName } from "../../domain/price/names.ts";
import { Copy } from "../kernel/copies.ts";
import { Revision, type RevisionRow } from "./revision.ts";

const COLUMNS = "revision, model, other_name, source, platform_revision, effective_at, created_at, terms";

/** The price of a model by name: the org's own price of that name, then of its other name, then the platform's. */
export class NamedPrices {
  readonly histories: readonly History<Revision>[];

  constructor(name: string, rows: readonly Revision[]) {
    const own = rows.filter(({ source }) => source === "org");
    const byOther = own.filter((row) => row.model !== name && row.otherName === name);
    const isClear = new Set(byOther.map(({ model }) => model)).size === 1;
    this.histories = [
      own.filter(({ model }) => model === name),
      // Models of two providers may share a name. Then it is ambiguous and matches neither.
      isClear ? byOther : [],
      rows.filter((row) => row.source === "platform" && row.model === name),
    ];
  }

  get own(): History<Revision> {
    return this.histories[0] ?? [];
  }

  get platform(): History<Revision> {
    return this.histories[2] ?? [];
  }

  at(atMs: number, nowMs: number): Revision | null {
    return priceAt(this.histories, atMs, nowMs);
  }

  nextChange(nowMs: number): number | null {
    return nextChange(this.histories, nowMs);
  }
}

const MOST_NAMES = 1000;
const copies = new Copy<BoundedMap<string, NamedPrices>>();

export function pricesOf(sql: SqlStorage, name: string): NamedPrices {
  const known = copies.get(sql, () => new BoundedMap(MOST_NAMES));
  let prices = known.get(name);
  if (prices === undefined) {
    const rows = sql
      .exec<RevisionRow>(
        `SELECT ${COLUMNS} FROM price_revisions WHERE model = ?1 OR other_name = ?1 ORDER BY effective_at, revision`,
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
      made.source === "org" && provider !== null ? otherName(made.model, provider) : null,
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
