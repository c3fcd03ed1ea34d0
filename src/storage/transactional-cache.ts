/**
 * In-memory copies of stored data. Code that writes the original renews or drops its copy, and a rollback drops every
 * copy, so a copy always equals what is stored.
 */
const CACHES: Follower[] = [];

/** Anything that keeps data of an object's storage in memory. */
export interface Follower {
  /** Called when a transaction of this storage was rolled back. */
  forget(sql: SqlStorage): void;
}

export function followRollbacks(follower: Follower): void {
  CACHES.push(follower);
}

export class TransactionalCache<T> {
  readonly #of = new WeakMap<SqlStorage, { readonly value: T }>();

  constructor() {
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

  forget(sql: SqlStorage): void {
    this.#of.delete(sql);
  }
}

/** After a transaction was rolled back. */
export function rollBackCaches(sql: SqlStorage): void {
  for (const copy of CACHES) copy.forget(sql);
}
