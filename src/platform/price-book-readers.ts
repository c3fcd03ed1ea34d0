import type { ListedModel } from "../contract/resources/price-book.ts";
import type { PriceShown } from "../contract/resources/prices.ts";
import { undatedName } from "../domain/price/names.ts";
import { database, priceBookReaders } from "./database.ts";
import { jsonTexts } from "./json-texts.ts";

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

type Meant = { asked: string; rank: number; model: string };
type Listed = { model: string; revision: number; created_at: number; price: string };

const MEANT = "FROM json_each(?) AS k JOIN price_book_names AS n ON n.name = k.value ->> 1";

/** However many names: in as many statements as they need, and the prices once for all names of a model. */
export async function findPrices(d1: D1Database, names: readonly string[]): Promise<FoundPrices> {
  const texts = jsonTexts(names.flatMap(lookupsOf));
  // One batch, so that the prices are those of the revision.
  const [latest, ...found] = await d1.batch([
    d1.prepare("SELECT COALESCE(MAX(revision), 0) AS revision FROM price_book"),
    ...texts.map((text) =>
      d1.prepare(`SELECT k.value ->> 0 AS asked, k.value ->> 2 AS rank, n.model ${MEANT}`).bind(text),
    ),
    ...texts.map((text) =>
      d1
        .prepare(
          `SELECT p.model, p.revision, b.created_at, p.price
           FROM price_book_prices AS p JOIN price_book AS b ON b.revision = p.revision
           WHERE p.model IN (SELECT n.model ${MEANT}) AND p.price IS NOT NULL AND p.revision =
             (SELECT MAX(later.revision) FROM price_book_prices AS later WHERE later.model = p.model)`,
        )
        .bind(text),
    ),
  ]);
  const rows = found.map(({ results }) => results);
  const meant = rows.slice(0, texts.length).flat() as Meant[];
  const prices = pricesIn(rows.slice(texts.length).flat() as Listed[]);
  // An exact name comes after the name without its date, and replaces it.
  meant.sort((a, b) => b.rank - a.rank);
  const byName = new Map(meant.map(({ asked, model }) => [asked, prices.get(model)]));
  return {
    revision: (latest?.results[0] as { revision: number } | undefined)?.revision ?? 0,
    prices: [...byName].flatMap(([name, price]) => (price === undefined ? [] : [{ name, ...price }])),
  };
}

/** By which names of the book a name is looked for; the lowest rank is the best. */
function lookupsOf(name: string): [asked: string, name: string, rank: number][] {
  const undated = undatedName(name);
  return undated === null
    ? [[name, name, 0]]
    : [
        [name, name, 0],
        [name, undated, 1],
      ];
}

function pricesIn(rows: readonly Listed[]): Map<string, Omit<FoundPrice, "name">> {
  return new Map(
    rows.map(({ model, revision, created_at: effectiveAt, price }) => [
      model,
      { revision, effectiveAt, terms: termsIn(JSON.parse(price) as ListedModel) },
    ]),
  );
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
