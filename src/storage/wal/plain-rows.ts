import type { RowStore } from "./row-store.ts";
import { deleteRows, type Row, type TableShape, writeRows } from "./table-shape.ts";

/** A table that has each row as a row of its own. */
export class PlainRows implements RowStore {
  readonly #sql: SqlStorage;
  readonly #shape: TableShape;

  constructor(sql: SqlStorage, shape: TableShape) {
    this.#sql = sql;
    this.#shape = shape;
  }

  get last(): number {
    throw new Error(`${this.#shape.name} numbers no rows`);
  }

  change(written: readonly Row[], deleted: readonly Row[]): void {
    deleteRows(this.#sql, this.#shape, deleted);
    writeRows(this.#sql, this.#shape, written);
  }
}
