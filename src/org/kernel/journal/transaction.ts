import { forgetCopies } from "../copies.ts";
import { journalOf } from "./journal.ts";

/** A transaction of an org's object that works on the tables: they have all that was changed before. */
export function transaction<T>(storage: DurableObjectStorage, run: () => T): T {
  return within(storage, false, run);
}

/**
 * A transaction whose changes to journaled tables are one row of the journal. It may read those tables by the names of
 * rows alone, and by other statements after `foldJournal`.
 */
export function journaled<T>(storage: DurableObjectStorage, run: () => T): T {
  return within(storage, true, run);
}

/** Inside another transaction it is of the same kind as that. No copy outlives one that fails. */
function within<T>(storage: DurableObjectStorage, isJournaled: boolean, run: () => T): T {
  try {
    return journalOf(storage.sql).within(isJournaled, (whole) => storage.transactionSync(whole), run);
  } catch (error) {
    forgetCopies(storage.sql);
    throw error;
  }
}

/** Inside a journaled transaction, before a statement reads journaled tables: they have all that was changed. */
export function foldJournal(sql: SqlStorage): void {
  journalOf(sql).fold();
}

/** The same outside of any transaction. */
export function foldFirst(storage: DurableObjectStorage): void {
  if (!journalOf(storage.sql).isFolded) transaction(storage, () => undefined);
}
