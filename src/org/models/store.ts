import type { Model } from "../../contract/resources/models.ts";
import { findRevisionAt } from "../../domain/price/history.ts";
import { saveRow } from "../../storage/rows.ts";
import type { NamedPrices } from "./named-prices.ts";
import { pricesOf } from "./revisions.ts";
import type { Revision } from "./revision.ts";
import { iso } from "../../domain/time/iso.ts";

/** A model in the org's own price book, and where it may run. Its cost is in its revisions. */
export type ModelRow = {
  model: string;
  regions: string | null;
  created_at: number;
  updated_at: number;
};

export function loadModel(sql: SqlStorage, model: string): ModelRow | null {
  return sql.exec<ModelRow>("SELECT * FROM models WHERE model = ?", model).toArray()[0] ?? null;
}

export function saveModel(sql: SqlStorage, row: ModelRow): void {
  saveRow(sql, "models", row);
}

/** The model with its current price, or its first scheduled one. */
export function modelAt(sql: SqlStorage, name: string, now: number): Model | null {
  const prices = pricesOf(sql, { model: name });
  const revision = prices.at(now, now) ?? firstScheduled(prices, now) ?? hostedAt(sql, name, now);
  if (revision === null) return null;
  const row = revision.source === "org" ? loadModel(sql, revision.model) : null;
  return toModel(revision, row);
}

/** A price of the platform's book that only calls with a provider have used, under the name with that provider. */
function hostedAt(sql: SqlStorage, name: string, now: number): Revision | null {
  const rows = sql
    .exec<{ provider: string }>(
      "SELECT DISTINCT provider FROM price_revisions WHERE model = ? AND provider <> ''",
      name,
    )
    .toArray();
  for (const { provider } of rows) {
    const { hosted } = pricesOf(sql, { model: name.slice(provider.length + 1), provider });
    const revision = findRevisionAt(hosted, now);
    if (revision !== null) return revision;
  }
  return null;
}

function firstScheduled({ own }: NamedPrices, now: number): Revision | null {
  return own.find(({ effectiveAt, isRemoved }) => effectiveAt > now && !isRemoved) ?? null;
}

export function toModel(revision: Revision, row: ModelRow | null): Model {
  return {
    model: revision.model,
    ...revision.terms,
    regions: regionsOf(row),
    source: revision.source,
    revision: revision.revision,
    effective_at: iso(revision.effectiveAt),
    created_at: iso(row?.created_at ?? revision.createdAt),
    updated_at: iso(row?.updated_at ?? revision.createdAt),
  };
}

export function regionsOf(row: ModelRow | null): string[] | null {
  return row === null || row.regions === null ? null : (JSON.parse(row.regions) as string[]);
}

/** The org's own price of exactly this name. */
export function ownPriceAt(sql: SqlStorage, model: string, atMs: number): Revision | null {
  return findRevisionAt(pricesOf(sql, { model }).own, atMs);
}

/** When the org's own price of this name was last deleted. Before all times if it never was. */
export function deletionOf(sql: SqlStorage, model: string): number {
  const { own } = pricesOf(sql, { model });
  return own.findLast(({ isRemoved }) => isRemoved)?.effectiveAt ?? -Infinity;
}
