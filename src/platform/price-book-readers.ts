import type { BookProvider, ListedModel } from "../contract/resources/price-book.ts";
import type { PriceShown } from "../contract/resources/prices/prices.ts";
import { BookIndex, type FoundRow, lookUp } from "../domain/price/book-index.ts";
import type { ModelName } from "../domain/price/model-name.ts";
import type { BookRow } from "../domain/price/names.ts";
import { database, priceBookReaders } from "./database.ts";
import { jsonTexts } from "./json-texts.ts";

/** The platform's price book, as orgs' objects read it. Each reads the models that it uses. */

/** The prices that the book has for some names. */
export interface FoundPrices {
  readonly revision: number;
  readonly providers: readonly BookProvider[];
  /**
   * The names that were looked for. Providers are called as the book calls them; those that it does not know are left
   * out.
   */
  readonly asked: readonly ModelName[];
  readonly prices: readonly FoundPrice[];
}

/** The price of a name that the book has, and since when it applies. */
export interface FoundPrice {
  readonly name: ModelName;
  readonly found: FoundRow;
  readonly revision: number;
  readonly effectiveAt: number;
  readonly terms: PriceShown;
}

type ListedRow = { model: string; revision: number; created_at: number; price: string };

const REVISION = "SELECT COALESCE(MAX(revision), 0) AS revision FROM price_book";
const IS_LATEST = `p.price IS NOT NULL AND p.revision =
  (SELECT MAX(later.revision) FROM price_book_prices AS later WHERE later.model = p.model)`;
/** The book may change while it is read. */
const TRIES = 3;

export async function bookRevision(d1: D1Database): Promise<number> {
  return (await d1.prepare(REVISION).first<number>("revision")) ?? 0;
}

/** One round trip, unless the book has changed since this isolate last read how its rows are found. */
export async function findPrices(d1: D1Database, names: readonly ModelName[]): Promise<FoundPrices> {
  let known = indexes.get(d1) ?? (await readIndex(d1));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { index, revision, providers } = known;
    const asked = names.flatMap((name) => inBook(index, name));
    const meant = asked.flatMap((name) => {
      const found = lookUp(index, name);
      return found === null ? [] : [{ name, found }];
    });
    const listed = await readListed(d1, [...new Set(meant.map(({ found }) => found.model))]);
    if (listed.revision === revision) {
      const prices = meant.flatMap(({ name, found }) => {
        const price = listed.prices.get(found.model);
        return price === undefined ? [] : [{ name, found, ...price }];
      });
      return { revision, providers, asked, prices };
    }
    known = await readIndex(d1);
  }
  throw new Error("the price book keeps changing");
}

function inBook({ providers }: BookIndex, { model, provider }: ModelName): ModelName[] {
  if (provider === undefined) return [{ model }];
  const known = providers.named(provider);
  return known === null ? [] : [{ model, provider: known }];
}

interface KnownIndex {
  readonly revision: number;
  readonly index: BookIndex;
  readonly providers: readonly BookProvider[];
}

/** Shared by all objects of an isolate: the names of the book, without its prices. */
const indexes = new WeakMap<D1Database, KnownIndex>();

type NameRow = { model: string; provider: string | null; aliases: string };

async function readIndex(d1: D1Database): Promise<KnownIndex> {
  const [latest, rows] = await d1.batch([
    d1.prepare("SELECT revision, providers FROM price_book ORDER BY revision DESC LIMIT 1"),
    d1.prepare(
      `SELECT p.model, p.price ->> 'provider' AS provider, p.price -> 'aliases' AS aliases
       FROM price_book_prices AS p WHERE ${IS_LATEST} ORDER BY p.model`,
    ),
  ]);
  const book = latest?.results[0] as { revision: number; providers: string } | undefined;
  const given = JSON.parse(book?.providers ?? "[]") as BookProvider[];
  const names = (rows?.results ?? []) as NameRow[];
  const index = new BookIndex(names.map(bookRow), given);
  const known = { revision: book?.revision ?? 0, index, providers: index.providers.list() };
  indexes.set(d1, known);
  return known;
}

function bookRow({ model, provider, aliases }: NameRow): BookRow {
  return { model, provider, aliases: JSON.parse(aliases) as string[] };
}

interface ListedPrices {
  readonly revision: number;
  readonly prices: ReadonlyMap<string, Omit<FoundPrice, "name" | "found">>;
}

/** In one batch, so that the prices are those of the revision. */
async function readListed(d1: D1Database, models: readonly string[]): Promise<ListedPrices> {
  const [latest, ...found] = await d1.batch([
    d1.prepare(REVISION),
    ...jsonTexts(models.map((model) => [model])).map((text) =>
      d1
        .prepare(
          `SELECT p.model, p.revision, b.created_at, p.price
           FROM price_book_prices AS p JOIN price_book AS b ON b.revision = p.revision
           WHERE p.model IN (SELECT value ->> 0 FROM json_each(?)) AND ${IS_LATEST}`,
        )
        .bind(text),
    ),
  ]);
  return {
    revision: (latest?.results[0] as { revision: number } | undefined)?.revision ?? 0,
    prices: pricesIn(found.flatMap(({ results }) => results) as ListedRow[]),
  };
}

function pricesIn(rows: readonly ListedRow[]): ListedPrices["prices"] {
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
