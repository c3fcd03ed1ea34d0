/**
 * Memory keeps some of an object's storage. Code that writes the original renews or drops the copy. After a rollback
 * every copy is dropped, or brings itself up to date, so a copy always equals what is stored.
 */
const CACHES: { rollBack(sql: SqlStorage): void }[] = [];

export class TransactionalCache<T> {
  readonly #of = new WeakMap<SqlStorage, { readonly value: T }>();
  readonly #onRollback: ((value: T) => void) | undefined;

  /** Without `onRollback`, a rollback drops the copy. */
  constructor(onRollback?: (value: T) => void) {
    this.#onRollback = onRollback;
    CACHES.push(this);
  }

  /** The copy, read if there is none. */
  get(sql: SqlStorage, read: () => T): T {
    const there = this.#of.get(sql);
    if (there !== undefined) return there.value;
    const value = read();
    this.#of.set(sql, { value });
    return value;
  }

  set(sql: SqlStorage, value: T): void {
    this.#of.set(sql, { value });
  }

  /** Brings the copy up to date, if there is one. */
  renew(sql: SqlStorage, change: (value: T) => T): void {
    const there = this.#of.get(sql);
    if (there !== undefined) this.set(sql, change(there.value));
  }

  forget(sql: SqlStorage): void {
    this.#of.delete(sql);
  }

  rollBack(sql: SqlStorage): void {
    const there = this.#of.get(sql);
    if (this.#onRollback === undefined) this.forget(sql);
    else if (there !== undefined) this.#onRollback(there.value);
  }
}

/** After a transaction was rolled back. */
export function rollBackCaches(sql: SqlStorage): void {
  for (const cache of CACHES) cache.rollBack(sql);
}
