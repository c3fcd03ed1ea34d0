import type { PriceShown } from "../../contract/resources/prices/prices.ts";
import { BoundedMap } from "../../domain/cache/bounded-map.ts";
import type { FoundRow } from "../../domain/price/book-index.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import { fineTunedBase, otherName } from "../../domain/price/names.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { NamedPrices } from "./named-prices.ts";
import { providersOf } from "./providers.ts";
import { Revision, type RevisionRow } from "./revision.ts";
import { cached } from "../../domain/cache/cached.ts";

export const COLUMNS =
  "revision, model, other_name, provider, found, source, platform_revision, effective_at, created_at, terms";

const MOST_NAMES = 1000;
const copies = new TransactionalCache<BoundedMap<string, NamedPrices>>();

/** The prices of a model as a call names it. */
export function pricesOf(sql: SqlStorage, name: ModelName): NamedPrices {
  const known = copies.get(sql, () => new BoundedMap(MOST_NAMES));
  const key = name.provider === undefined ? name.model : `${name.model}\n${name.provider}`;
  return cached(known, key, () => readPrices(sql, name));
}

function readPrices(sql: SqlStorage, { model, provider: given }: ModelName): NamedPrices {
  const { providers } = providersOf(sql);
  const provider = given === undefined ? undefined : (providers.named(given) ?? given);
  const base = fineTunedBase(model);
  const named = [model, ...(base === null ? [] : [base])];
  const all = provider === undefined ? named : named.flatMap((one) => [one, `${provider}/${one}`]);
  const rows = sql
    .exec<RevisionRow>(
      `SELECT ${COLUMNS} FROM price_revisions WHERE model IN (SELECT value FROM json_each(?2))
         OR model IN (SELECT model FROM price_revisions WHERE other_name = ?1)
         OR model IN (SELECT other_name FROM price_revisions WHERE model = ?1)
       ORDER BY effective_at, revision`,
      model,
      JSON.stringify(all),
    )
    .toArray();
  return new NamedPrices(
    { model, provider },
    rows.map((row) => new Revision(row)),
    providers,
  );
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
  /** The provider that the platform's book was asked for. If omitted: none. */
  readonly askedProvider?: string;
  /** How the name leads to the platform's row. Null for the org's own. */
  readonly found?: FoundRow | null;
};

export function insertRevision(sql: SqlStorage, made: NewRevision): Revision {
  const whose = made.terms?.provider ?? null;
  const { askedProvider = "", found = null } = made;
  const row = sql
    .exec<RevisionRow>(
      `INSERT INTO price_revisions
         (model, other_name, provider, found, source, platform_revision, effective_at, created_at, terms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
      made.model,
      // A price that a call with a provider found says nothing about names without one.
      whose === null || askedProvider !== "" ? null : otherName(made.model, whose),
      askedProvider,
      found === null ? null : JSON.stringify(found),
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
