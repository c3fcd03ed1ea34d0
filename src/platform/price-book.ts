import { desc, eq, isNotNull, sql } from "drizzle-orm";
import type { BookProvider, ListedModel, PriceBook } from "../contract/resources/price-book.ts";
import { database, priceBook, priceBookPrices } from "./database.ts";
import { jsonTexts } from "./json-texts.ts";

/**
 * The platform's own prices span orgs, so they are in D1. Each org's object keeps the prices of the models that it
 * uses.
 */

export async function loadPriceBook(d1: D1Database): Promise<PriceBook> {
  const db = database(d1);
  const [latest] = await db.select().from(priceBook).orderBy(desc(priceBook.revision)).limit(1);
  if (latest === undefined) return { revision: 0, updated_at: null, providers: [], models: [] };
  const rows = await db
    .select({
      model: priceBookPrices.model,
      revision: priceBookPrices.revision,
      price: priceBookPrices.price,
    })
    .from(priceBookPrices)
    .where(
      sql`${isNotNull(priceBookPrices.price)} AND ${priceBookPrices.revision} =
        (SELECT MAX(later.revision) FROM price_book_prices AS later WHERE later.model = price_book_prices.model)`,
    )
    .orderBy(priceBookPrices.model);
  return {
    revision: latest.revision,
    updated_at: new Date(latest.createdAt).toISOString(),
    providers: JSON.parse(latest.providers) as BookProvider[],
    models: rows.map(({ price }) => JSON.parse(price ?? "") as ListedModel),
  };
}

/**
 * Stores the differences from the current book as its next revision, all or nothing. Null if another call was first.
 */
export async function savePriceBook(
  d1: D1Database,
  before: PriceBook,
  { models, providers }: Pick<PriceBook, "models" | "providers">,
  now: number,
): Promise<PriceBook | null> {
  const changed = changesOf(before.models, models);
  const known = JSON.stringify(providers);
  if (changed.length === 0 && known === JSON.stringify(before.providers)) return before;
  const revision = before.revision + 1;
  const inserts = (into: string, rows: readonly (readonly (string | null)[])[]) =>
    jsonTexts(rows).map((text) => d1.prepare(into).bind(text));
  try {
    // The library's own statements cannot read rows from one value.
    await d1.batch([
      d1
        .prepare("INSERT INTO price_book (revision, created_at, providers) VALUES (?, ?, ?)")
        .bind(revision, now, known),
      ...inserts(
        `INSERT INTO price_book_prices (model, revision, price)
         SELECT value ->> 0, ${revision}, value ->> 1 FROM json_each(?)`,
        changed,
      ),
    ]);
  } catch (error) {
    const [there] = await database(d1).select().from(priceBook).where(eq(priceBook.revision, revision));
    if (there === undefined) throw error;
    return null;
  }
  return {
    revision,
    updated_at: new Date(now).toISOString(),
    providers: [...providers],
    models: byName(models),
  };
}

function byName(models: readonly ListedModel[]): ListedModel[] {
  return models.toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

/** Each model whose row is new, changed or removed (null), with its row. */
function changesOf(
  before: readonly ListedModel[],
  after: readonly ListedModel[],
): [model: string, row: string | null][] {
  const left = new Map(before.map((row) => [row.model, JSON.stringify(row)]));
  const changed: [string, string | null][] = [];
  for (const row of after) {
    const text = JSON.stringify(row);
    if (left.get(row.model) !== text) changed.push([row.model, text]);
    left.delete(row.model);
  }
  for (const model of left.keys()) changed.push([model, null]);
  return changed;
}
