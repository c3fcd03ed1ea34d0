/**
 * Memory keeps some of an object's storage. Code that writes the original renews or drops the copy. After a rollback
 * every copy is dropped, or brings itself up to date, so a copy always equals what is stored.
 */
const CACHES: { rollBack(sql: SqlStorage, began: number): void }[] = [];

/** Transactions are numbered in the order in which they began, so that a copy can say in which it was changed last. */
let latest = 0;

export function beginTransaction(): number {
  latest += 1;
  return latest;
}

/** The number of the transaction that runs, or of the last one where none does. */
export const latestTransaction = (): number => latest;

export class TransactionalCache<T> {
  readonly #of = new WeakMap<SqlStorage, { readonly value: T; readonly readIn: number }>();
  readonly #onRollback: ((value: T, began: number) => void) | "replaced" | undefined;

  /**
   * Without `onRollback`, a rollback drops the copy. It gets the number of the first transaction that was rolled back. A copy
   * that is only `replaced`, and never changed itself, outlives the rollback of transactions that began after it was read.
   */
  constructor(onRollback?: ((value: T, began: number) => void) | "replaced") {
    this.#onRollback = onRollback;
    CACHES.push(this);
  }

  /** The copy, read if there is none. */
  get(sql: SqlStorage, read: () => T): T {
    const there = this.#of.get(sql);
    if (there !== undefined) return there.value;
    const value = read();
    this.set(sql, value);
    return value;
  }

  set(sql: SqlStorage, value: T): void {
    this.#of.set(sql, { value, readIn: latest });
  }

  /** Brings the copy up to date, if there is one. */
  renew(sql: SqlStorage, change: (value: T) => T): void {
    const there = this.#of.get(sql);
    if (there !== undefined) this.set(sql, change(there.value));
  }

  forget(sql: SqlStorage): void {
    this.#of.delete(sql);
  }

  rollBack(sql: SqlStorage, began: number): void {
    const there = this.#of.get(sql);
    if (there === undefined) return;
    if (typeof this.#onRollback === "function") this.#onRollback(there.value, began);
    else if (this.#onRollback === undefined || there.readIn >= began) this.forget(sql);
  }
}

/** After a transaction was rolled back, and all within it. By default, whatever was changed at any time. */
export function rollBackCaches(sql: SqlStorage, began = 0): void {
  for (const cache of CACHES) cache.rollBack(sql, began);
}
