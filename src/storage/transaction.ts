import { beginTransaction, rollBackCaches } from "./transactional-cache.ts";
import { walOf } from "./wal/write-ahead-log.ts";

declare const CHECKPOINTED: unique symbol;

/**
 * A storage whose tables have all that was changed. Only a checkpoint gives it, and a table of the write-ahead log tells
 * its name for no other. It is good until something is changed by the write-ahead log. The symbol exists only for the compiler.
 */
export type CheckpointedSql = SqlStorage & { readonly [CHECKPOINTED]: true };

/** A transaction of an org's object that works on the tables: they have all that was changed before. */
export function transaction<T>(storage: DurableObjectStorage, run: (sql: CheckpointedSql) => T): T {
  return within(storage, false, () => run(checkpoint(storage.sql)));
}

/**
 * A transaction whose changes to tables are one entry of the write-ahead log. It may read those tables by the names of
 * rows alone, and by other statements after `checkpoint`.
 */
export function walTransaction<T>(storage: DurableObjectStorage, run: () => T): T {
  return within(storage, true, run);
}

/** A part of a transaction that can fail by itself, whichever kind that is of. */
export function savepoint<T>(storage: DurableObjectStorage, run: () => T): T {
  return within(storage, false, run);
}

/** Inside another transaction it is of the same kind as that. Nothing in memory outlives one that fails. */
function within<T>(storage: DurableObjectStorage, usesWal: boolean, run: () => T): T {
  const began = beginTransaction();
  try {
    return walOf(storage.sql).within(usesWal, (whole) => storage.transactionSync(whole), run);
  } catch (error) {
    rollBackCaches(storage.sql, began);
    throw error;
  }
}

/** Inside a transaction, before a statement reads tables of the write-ahead log: they have all that was changed. */
export function checkpoint(sql: SqlStorage): CheckpointedSql {
  walOf(sql).checkpoint();
  return sql as CheckpointedSql;
}

/** The same outside of any transaction. */
export function checkpointFirst(storage: DurableObjectStorage): CheckpointedSql {
  const { sql } = storage;
  return walOf(sql).isCheckpointed ? (sql as CheckpointedSql) : transaction(storage, (tables) => tables);
}
