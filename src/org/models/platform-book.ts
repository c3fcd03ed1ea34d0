import { type Refusal, refuse } from "../../contract/refusal.ts";
import { logFailure } from "../../log.ts";
import { findPrices, type FoundPrices, noteReader } from "../../platform/price-book-readers.ts";
import { transaction } from "../kernel/journal/transaction.ts";
import { command, done } from "../kernel/door.ts";
import { insertRevision, pricesOf } from "./revisions.ts";

/** Names that the book does not have, remembered so that they are not looked up again. */
const MOST_UNKNOWN = 10_000;
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
  #told = 0;

  constructor(storage: DurableObjectStorage, d1: D1Database, orgId: string) {
    this.#storage = storage;
    this.#d1 = d1;
    this.#orgId = orgId;
  }

  /** Names that have no price here and may have one in the book. */
  missing(names: readonly string[], now: number): string[] {
    return names.filter(
      (name) => !this.#unknown.has(name) && pricesOf(this.#storage.sql, name).at(now, now) === null,
    );
  }

  /**
   * Reads missing prices from the book before they are needed. Returns null, or a refusal if the book is unreachable.
   */
  async learn(names: readonly string[], now: number, trace: string): Promise<Refusal | null> {
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

  async #keepFound(names: readonly string[], now: number): Promise<void> {
    const found = await this.#read(names);
    if (this.#unknown.size + names.length > MOST_UNKNOWN) this.#unknown.clear();
    const known = new Set(found.prices.map(({ name }) => name));
    for (const name of names) if (!known.has(name)) this.#unknown.add(name);
    transaction(this.#storage, () => keepPrices(this.#storage.sql, found, names, now));
  }

  /** The book's prices of every name that the org has used, at this revision or a later one. */
  async reread(revision: number): Promise<FoundPrices & { readonly names: readonly string[] }> {
    this.#told = Math.max(this.#told, revision);
    this.#unknown.clear();
    const names = usedNames(this.#storage.sql);
    return { ...(await this.#read(names)), names };
  }

  /** The book's revision, if it has changed since the object last heard of it. Otherwise null. */
  async hasMissed(): Promise<number | null> {
    const { sql } = this.#storage;
    if (usedNames(sql).length === 0) return null;
    const { revision } = await findPrices(this.#d1, []);
    return revision > keptRevision(sql) ? revision : null;
  }

  async #read(names: readonly string[]): Promise<FoundPrices> {
    if (!this.#isReader) await noteReader(this.#d1, this.#orgId);
    this.#isReader = true;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = await findPrices(this.#d1, names);
      if (found.revision >= this.#told) return found;
    }
    throw new Error(`the price book is older than revision ${this.#told}`);
  }
}

function usedNames(sql: SqlStorage): string[] {
  return sql
    .exec<{ model: string }>("SELECT DISTINCT model FROM price_revisions WHERE source = 'platform'")
    .toArray()
    .map(({ model }) => model);
}

function keptRevision(sql: SqlStorage): number {
  return sql.exec<{ revision: number }>("SELECT revision FROM platform_book").toArray()[0]?.revision ?? 0;
}

/** Stores the changes for the names that were read. A name that the book no longer has loses its price. */
function keepPrices(sql: SqlStorage, found: FoundPrices, names: readonly string[], now: number): string[] {
  const prices = new Map(found.prices.map((price) => [price.name, price]));
  const changed: string[] = [];
  for (const name of names) {
    const before = pricesOf(sql, name).platform.at(-1);
    const price = prices.get(name);
    const terms = price?.terms ?? null;
    if (before === undefined ? terms === null : before.has(terms)) continue;
    insertRevision(sql, {
      model: name,
      source: "platform",
      platformRevision: price?.revision ?? found.revision,
      // Clocks differ: a price that the book has in force is in force.
      effectiveAt: before === undefined && price !== undefined ? Math.min(price.effectiveAt, now) : now,
      createdAt: now,
      terms,
    });
    changed.push(name);
  }
  sql.exec("DELETE FROM platform_book");
  sql.exec("INSERT INTO platform_book (revision) VALUES (?)", found.revision);
  return changed;
}

/** The platform's book has changed. The object reads it before this runs. */
export const rereadPrices = command({
  action: "model.prices_reread",
  changesLimits: true,
  refuses: [],
  run(tx, input: { revision: number } & Partial<Awaited<ReturnType<PlatformBook["reread"]>>>) {
    const { revision, prices = [], names = [] } = input;
    const models = keepPrices(tx.sql, { revision, prices }, names, tx.now);
    const detail = {
      platform_revision: revision,
      models: models.slice(0, MOST_NAMED),
      changed_models: models.length,
    };
    return done(204, null, { target: String(revision), detail });
  },
});
