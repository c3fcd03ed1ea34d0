import { type Refusal, refuse } from "../../contract/refusal.ts";
import { logFailure } from "../../log.ts";
import type { ModelName } from "../../domain/price/model-name.ts";
import {
  bookRevision,
  type FoundPrice,
  findPrices,
  type FoundPrices,
  noteReader,
} from "../../platform/price-book-readers.ts";
import { transaction } from "../../storage/transaction.ts";
import { command, done } from "../kernel/door.ts";
import { keepBook, providersOf } from "./providers.ts";
import type { Revision } from "./revision.ts";
import { forgetPrices, insertRevision, pricesOf } from "./revisions.ts";

/** Names that the book does not have, remembered so that they are not looked up again. */
const MOST_UNKNOWN = 10_000;
/** Names whose prices an org keeps. Patterns of the book fit any number of names: those beyond have no price. */
const MOST_KEPT = 10_000;
/** Models that an entry of the audit trail names. */
const MOST_NAMED = 100;
/** The book may change while it is read. */
const TRIES = 3;

/**
 * The platform's price book as one org knows it: the prices of the models that it uses. They are read from D1 when a
 * name is first used, and again when the object is told that the book has changed, so that no call waits for them.
 */
export class PlatformBook {
  readonly #storage: DurableObjectStorage;
  readonly #d1: D1Database;
  readonly #orgId: string;
  readonly #unknown = new Set<string>();
  #isReader = false;
  /** The minimum revision to accept: the object was told of it. */
  #leastRevision = 0;

  constructor(storage: DurableObjectStorage, d1: D1Database, orgId: string) {
    this.#storage = storage;
    this.#d1 = d1;
    this.#orgId = orgId;
  }

  /** Returns what has no price here and may have one in the book. */
  missing(names: readonly ModelName[], now: number): ModelName[] {
    const { sql } = this.#storage;
    const { revision, providers } = providersOf(sql);
    const isKnown = (provider: string) => revision === null || providers.has(provider);
    return names
      .flatMap((name) => pricesOf(sql, name).wanted(now, isKnown))
      .filter((name) => !this.#unknown.has(keyOf(name)));
  }

  /**
   * Reads missing prices from the book before they are needed. Returns null, or a refusal if the book is unreachable.
   */
  async load(names: readonly ModelName[], now: number, trace: string): Promise<Refusal | null> {
    const missing = this.missing(names, now);
    if (missing.length === 0) return null;
    try {
      await this.#keepFound(missing, now);
      return null;
    } catch (error) {
      logFailure(trace, error);
      const message = "The platform's price book is unavailable. Try again.";
      return refuse("service_unavailable", {}, { message });
    }
  }

  async #keepFound(names: readonly ModelName[], now: number): Promise<void> {
    const found = await this.#read(names);
    if (this.#unknown.size + names.length > MOST_UNKNOWN) this.#unknown.clear();
    const { sql } = this.#storage;
    const room = MOST_KEPT - countNames(sql);
    const kept = { ...found, prices: found.prices.slice(0, Math.max(0, room)) };
    const known = new Set(kept.prices.map(({ name }) => keyOf(name)));
    for (const name of found.asked) if (!known.has(keyOf(name))) this.#unknown.add(keyOf(name));
    transaction(this.#storage, () => keepPrices(sql, kept, now));
  }

  /** The book's prices of every name that the org has used, at this revision or a later one. */
  async reread(revision: number): Promise<FoundPrices> {
    this.#leastRevision = Math.max(this.#leastRevision, revision);
    this.#unknown.clear();
    return this.#read(usedNames(this.#storage.sql));
  }

  /** The book's revision, if it has changed since the object last heard of it. Otherwise null. */
  async hasMissed(): Promise<number | null> {
    const { sql } = this.#storage;
    if (countNames(sql) === 0) return null;
    const revision = await bookRevision(this.#d1);
    return revision > (providersOf(sql).revision ?? 0) ? revision : null;
  }

  async #read(names: readonly ModelName[]): Promise<FoundPrices> {
    if (!this.#isReader) await noteReader(this.#d1, this.#orgId);
    this.#isReader = true;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = await findPrices(this.#d1, names);
      if (found.revision >= this.#leastRevision) return found;
    }
    throw new Error(`the price book is older than revision ${this.#leastRevision}`);
  }
}

function keyOf({ model, provider }: ModelName): string {
  return provider === undefined ? model : `${model}\n${provider}`;
}

/** As the org's prices are stored: with the provider that was asked for in front. */
function storedName({ model, provider }: ModelName): string {
  return provider === undefined ? model : `${provider}/${model}`;
}

function countNames(sql: SqlStorage): number {
  const counted =
    "SELECT COUNT(DISTINCT model || provider) AS names FROM price_revisions WHERE source = 'platform'";
  return sql.exec<{ names: number }>(counted).one().names;
}

function usedNames(sql: SqlStorage): ModelName[] {
  return sql
    .exec<{ model: string; provider: string }>(
      "SELECT DISTINCT model, provider FROM price_revisions WHERE source = 'platform'",
    )
    .toArray()
    .map(({ model, provider }) =>
      provider === "" ? { model } : { model: model.slice(provider.length + 1), provider },
    );
}

/** Stores the changes for the names that were read. A name that the book no longer has loses its price. */
function keepPrices(sql: SqlStorage, found: FoundPrices, now: number): string[] {
  const prices = new Map(found.prices.map((price) => [keyOf(price.name), price]));
  const changed: string[] = [];
  // Names alone come first: they decide whether it is worth keeping that a provider has no price.
  const inOrder = found.asked.toSorted(
    (a, b) => Number(a.provider !== undefined) - Number(b.provider !== undefined),
  );
  for (const name of inOrder) {
    const history = storedHistory(sql, name);
    if (
      keepPrice(sql, { name, price: prices.get(keyOf(name)), history, bookRevision: found.revision, now })
    ) {
      changed.push(storedName(name));
    }
  }
  keepBook(sql, found.revision, found.providers);
  forgetPrices(sql);
  return changed;
}

function storedHistory(sql: SqlStorage, name: ModelName): Revision | undefined {
  const all = pricesOf(sql, name);
  return (name.provider === undefined ? all.platform : all.hosted).at(-1);
}

interface CachedPrice {
  readonly name: ModelName;
  readonly price: FoundPrice | undefined;
  readonly history: Revision | undefined;
  readonly bookRevision: number;
  readonly now: number;
}

function keepPrice(
  sql: SqlStorage,
  { name, price, history: before, bookRevision: revision, now }: CachedPrice,
): boolean {
  const terms = price?.terms ?? null;
  const found = price?.found ?? null;
  if (before === undefined) {
    // Otherwise the book would be asked again for a provider without a price each time that the object wakes.
    const isWorthKeeping = name.provider !== undefined && pricesOf(sql, name).at(now, now) !== null;
    if (terms === null && !isWorthKeeping) return false;
  } else if (before.has(terms) && before.isFoundAs(found)) return false;
  insertRevision(sql, {
    model: storedName(name),
    source: "platform",
    askedProvider: name.provider ?? "",
    found,
    platformRevision: price?.revision ?? revision,
    // Clocks differ: a price that the book has in force is in force.
    effectiveAt: before === undefined && price !== undefined ? Math.min(price.effectiveAt, now) : now,
    createdAt: now,
    terms,
  });
  return true;
}

/** The platform's book has changed. The object reads it before this runs. */
export const rereadPrices = command({
  action: "model.prices_reread",
  changesLimits: true,
  refuses: [],
  run(tx, input: { revision: number } & Partial<FoundPrices>) {
    const { revision, prices = [], asked = [], providers = [] } = input;
    const models = keepPrices(tx.sql, { revision, prices, asked, providers }, tx.now);
    const detail = {
      platform_revision: revision,
      models: models.slice(0, MOST_NAMED),
      changed_models: models.length,
    };
    return done(204, null, { target: String(revision), detail });
  },
});
