import { type LoggedShape, type Row, Table, type TableName } from "../table.ts";
import type { CheckpointedSql } from "../transaction.ts";
import type { TableShape } from "../wal/table-shape.ts";
import { addShape } from "../wal/table-shapes.ts";
import { walOf } from "../wal/write-ahead-log.ts";
import type { PageLayout } from "./page-layout.ts";
import { Pages } from "./pages.ts";

/** A table whose rows have numbers and are stored many to a page, in the order of their numbers. */
export class PagedTable extends Table {
  readonly #shape: TableShape;
  readonly #layout: PageLayout;

  constructor(shape: LoggedShape, layout: PageLayout) {
    const paged: LoggedShape = shape.log === undefined ? { ...shape, isPaged: true } : shape;
    super(paged);
    this.#shape = paged;
    this.#layout = layout;
    addShape(paged, (sql) => new Pages(sql, paged, layout));
  }

  /** Rows that the table does not have yet, or not like this, and that have one of these key hashes. */
  withKeyHashes(sql: SqlStorage, keyHashes: Iterable<number>): readonly Row[] {
    return walOf(sql).withKeyHashes(this.#shape.name, keyHashes);
  }

  /** The table that has its pages, for statements that read their summaries. */
  pagesIn(_sql: CheckpointedSql): TableName {
    return this.#layout.table as TableName;
  }

  /** The same for whoever adds what memory has. */
  storedPagesIn(_sql: SqlStorage): TableName {
    return this.#layout.table as TableName;
  }

  /** Where its rows are stored, without what memory has. */
  pages(sql: SqlStorage): Pages {
    const store = walOf(sql).store(this.#shape);
    if (!(store instanceof Pages)) throw new Error(`${this.#shape.name} has no pages`);
    return store;
  }

  /** The same as they are now, for one call that changes nothing. Keeps so many pages at a time. */
  protected readPages(sql: SqlStorage, mostRead: number): Pages {
    return new Pages(sql, this.#shape, this.#layout, mostRead);
  }
}
