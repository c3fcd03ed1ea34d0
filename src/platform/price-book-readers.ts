import { sql } from "drizzle-orm";
import type { ListedModel } from "../contract/resources/price-book.ts";
import type { PriceShown } from "../contract/resources/prices.ts";
import { undatedName } from "../domain/price/names.ts";
import { database, priceBookReaders } from "./database.ts";

/** The platform's price book, as orgs' objects read it. Each reads the models that it uses. */

/** What the book has for some names: the price of each known name, and since when it applies. */
export interface FoundPrices {
  readonly revision: number;
  readonly prices: readonly FoundPrice[];
}

export interface FoundPrice {
  readonly name: string;
  readonly revision: number;
  readonly effectiveAt: number;
  readonly terms: PriceShown;
}

type FoundRow = { asked: string; rank: number; revision: number; created_at: number; price: string };

export async function findPrices(d1: D1Database, names: readonly string[]): Promise<FoundPrices> {
  const db = database(d1);
  const wanted = names.flatMap((name) => {
    const undated = undatedName(name);
    return undated === null
      ? [[name, name, 0]]
      : [
          [name, name, 0],
          [name, undated, 1],
        ];
  });
  // One statement, so that the prices belong to the revision.
  const rows = await db.all<{ latest: number } & Partial<FoundRow>>(
    sql`SELECT latest.revision AS latest, found.* FROM (SELECT COALESCE(MAX(revision), 0) AS revision FROM price_book) AS latest
      LEFT JOIN (SELECT k.value ->> 0 AS asked, k.value ->> 2 AS rank, p.revision, b.created_at, p.price
        FROM json_each(${JSON.stringify(wanted)}) AS k
        JOIN price_book_names AS n ON n.name = k.value ->> 1
        JOIN price_book_prices AS p ON p.model = n.model
        JOIN price_book AS b ON b.revision = p.revision
        WHERE p.price IS NOT NULL AND p.revision =
          (SELECT MAX(later.revision) FROM price_book_prices AS later WHERE later.model = p.model)) AS found
      ORDER BY found.rank DESC`,
  );
  const found = new Map<string, FoundPrice>();
  for (const row of rows) {
    const { asked, price, revision = 0, created_at: effectiveAt = 0 } = row;
    if (typeof asked !== "string" || typeof price !== "string") continue;
    found.set(asked, {
      name: asked,
      revision,
      effectiveAt,
      terms: termsIn(JSON.parse(price) as ListedModel),
    });
  }
  return { revision: rows[0]?.latest ?? 0, prices: [...found.values()] };
}

function termsIn({ model: _model, aliases: _aliases, source: _source, ...terms }: ListedModel): PriceShown {
  return terms;
}

/** An object registers as a reader before it reads, so it is told of every later change. */
export async function noteReader(d1: D1Database, orgId: string): Promise<void> {
  await database(d1).insert(priceBookReaders).values({ orgId }).onConflictDoNothing();
}

export async function bookReaders(d1: D1Database): Promise<string[]> {
  const rows = await database(d1).select().from(priceBookReaders);
  return rows.map(({ orgId }) => orgId);
}
