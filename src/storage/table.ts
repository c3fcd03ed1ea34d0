import { walOf } from "./wal/write-ahead-log.ts";
import type { PageLayout } from "./paged-table/page-layout.ts";
import type { Pages } from "./paged-table/pages.ts";
import { nameOf, type Row, type TableShape, type Value } from "./wal/table-shape.ts";
import { addShape, type StoreRows } from "./wal/table-shapes.ts";

export type { Row, Value } from "./wal/table-shape.ts";
export type { StoreRows } from "./wal/table-shapes.ts";

/** How a table stores its rows, if not one to a row of its own. */
interface Layout {
  readonly pages?: PageLayout;
  /** Writes rows that a checkpoint brings, and takes out those that are deleted. */
  readonly store?: StoreRows;
}

/**
 * A table whose rows frequent commands read by their names and change in memory. Whoever reads it by statements of their
 * own does so after a checkpoint.
 */
export class Table {
  readonly #shape: TableShape;

  constructor(shape: TableShape, { pages, store }: Layout = {}) {
    this.#shape = {
      ...shape,
      ...(pages === undefined ? {} : { isPaged: true }),
      ...(store === undefined ? {} : { isGrouped: true }),
    };
    addShape(this.#shape, { pages, store });
  }

  /** The row of these names where memory has it; null: it is deleted; undefined: the table may have it. */
  get(sql: SqlStorage, ...names: readonly Value[]): Row | null | undefined {
    return walOf(sql).get(this.#shape.name, nameOf(names));
  }

  /** Rows that the table does not have yet, or not like this, in the order in which they came. */
  changed(sql: SqlStorage): Iterable<Row> {
    return walOf(sql).changed(this.#shape.name);
  }

  /** Those of them that have one of these tags. The table has pages. */
  withKeyHashes(sql: SqlStorage, keyHashes: Iterable<number>): readonly Row[] {
    return walOf(sql).withKeyHashes(this.#shape.name, keyHashes);
  }

  /** All of them, and those that are deleted as they were. */
  touched(sql: SqlStorage): Iterable<Row> {
    return walOf(sql).touched(this.#shape.name);
  }

  /** Where its rows are stored, without what memory has. */
  pages(sql: SqlStorage): Pages {
    return walOf(sql).pages(this.#shape);
  }

  put(sql: SqlStorage, rows: readonly Row[]): void {
    walOf(sql).change(this.#shape, rows, false);
  }

  delete(sql: SqlStorage, rows: readonly Row[]): void {
    walOf(sql).change(this.#shape, rows, true);
  }
}
