import { rollBackCaches } from "./transactional-cache.ts";
import { walOf } from "./wal/write-ahead-log.ts";

/** A transaction of an org's object that works on the tables: they have all that was changed before. */
export function transaction<T>(storage: DurableObjectStorage, run: () => T): T {
  return within(storage, false, run);
}

/**
 * A transaction whose changes to tables are one entry of the write-ahead log. It may read those tables by the names of
 * rows alone, and by other statements after `checkpoint`.
 */
export function walTransaction<T>(storage: DurableObjectStorage, run: () => T): T {
  return within(storage, true, run);
}

/** Inside another transaction it is of the same kind as that. No copy outlives one that fails. */
function within<T>(storage: DurableObjectStorage, usesWal: boolean, run: () => T): T {
  try {
    return walOf(storage.sql).within(usesWal, (whole) => storage.transactionSync(whole), run);
  } catch (error) {
    rollBackCaches(storage.sql);
    throw error;
  }
}

/** Inside a walTransaction transaction, before a statement reads walTransaction tables: they have all that was changed. */
export function checkpoint(sql: SqlStorage): void {
  walOf(sql).checkpoint();
}

/** The same outside of any transaction. */
export function checkpointFirst(storage: DurableObjectStorage): void {
  if (!walOf(storage.sql).isCheckpointed) transaction(storage, () => undefined);
}
