import { journalOf } from "./journal.ts";
import type { PageKind } from "./page-kind.ts";
import type { Pages } from "./pages.ts";
import { nameOf, type Row, type TableShape, type Value } from "./shape.ts";
import { addShape } from "./shapes.ts";

/**
 * A table whose rows journaled commands read by their names and change in memory. Whoever reads it by statements of their
 * own does so after a fold.
 */
export class JournalTable {
  readonly #shape: TableShape;

  constructor(shape: TableShape, pages?: PageKind) {
    this.#shape = pages === undefined ? shape : { ...shape, isPaged: true };
    addShape(this.#shape, pages);
  }

  /** The row of these names where memory has it; null: it is deleted; undefined: the table may have it. */
  get(sql: SqlStorage, ...names: readonly Value[]): Row | null | undefined {
    return journalOf(sql).get(this.#shape.name, nameOf(names));
  }

  /** Rows that the table does not have yet, or not like this, in the order in which they came. */
  changed(sql: SqlStorage): Iterable<Row> {
    return journalOf(sql).changed(this.#shape.name);
  }

  /** Those of them that have one of these tags. The table has pages. */
  tagged(sql: SqlStorage, tags: Iterable<number>): readonly Row[] {
    return journalOf(sql).tagged(this.#shape.name, tags);
  }

  /** All of them, and those that are deleted as they were. */
  touched(sql: SqlStorage): Iterable<Row> {
    return journalOf(sql).touched(this.#shape.name);
  }

  /** Where its rows are stored, without what memory has. */
  pages(sql: SqlStorage): Pages {
    return journalOf(sql).pages(this.#shape);
  }

  put(sql: SqlStorage, rows: readonly Row[]): void {
    journalOf(sql).change(this.#shape, rows, false);
  }

  delete(sql: SqlStorage, rows: readonly Row[]): void {
    journalOf(sql).change(this.#shape, rows, true);
  }
}
