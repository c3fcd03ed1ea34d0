import { env, runInDurableObject } from "cloudflare:test";
import { rollBackCaches } from "../../src/storage/transactional-cache.ts";
import { checkpointFirst } from "../../src/storage/transaction.ts";
import { isOpened } from "../../src/org/schema.ts";

function storageOf<T>(orgId: string, use: (storage: DurableObjectStorage) => T): Promise<T> {
  const namespace = (env as { ORG: DurableObjectNamespace }).ORG;
  return runInDurableObject(namespace.getByName(orgId), (_object, { storage }) => {
    if (isOpened(storage.sql)) checkpointFirst(storage);
    return use(storage);
  });
}

/** Everything that an org's object stores, as one text. */
export function everythingStored(orgId: string): Promise<string> {
  return storageOf(orgId, ({ sql }) => contentsOf(sql));
}

/** The same, with what waits in the journal as it waits there. */
export function contentsOf(sql: SqlStorage): string {
  const tables = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
  const own = tables.map(({ name }) => name).filter((name) => !/^(_cf|sqlite)_/.test(name));
  return JSON.stringify(own.map((name) => [name, sql.exec(`SELECT * FROM "${name}"`).toArray()]));
}

/** Reads, or tampers with, the object's own rows. */
export function rowsOf<R extends Record<string, SqlStorageValue>>(
  orgId: string,
  statement: string,
  ...bindings: SqlStorageValue[]
): Promise<R[]> {
  return storageOf(orgId, ({ sql }) => {
    const rows = sql.exec<R>(statement, ...bindings).toArray();
    // What the object keeps in memory may have been changed behind its back.
    if (!/^\s*(SELECT|PRAGMA|WITH)\b/i.test(statement)) rollBackCaches(sql);
    return rows;
  });
}
