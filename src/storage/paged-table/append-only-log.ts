import type { Row, Value } from "../table.ts";
import type { CheckpointedSql } from "../transaction.ts";
import type { LogLayout, LogRow } from "./log-layout.ts";
import { PagedTable } from "./paged-table.ts";
import { StoredLog } from "./stored-log.ts";

/** A row and the one before it are on two pages at most. */
const MOST_READ = 2;

/**
 * Rows that are written in the order of their numbers and times, and never change. Most come from frequent calls, so many
 * of them are one row of a table of pages. In front of its rows, a page has the time of the first.
 */
export class AppendOnlyLog<R extends LogRow> extends PagedTable {
  readonly layout: LogLayout;

  constructor(layout: LogLayout) {
    const { name, columns, named, isNumbered, pages, time } = layout;
    const timeAt = columns.indexOf(time);
    super(
      {
        name,
        columns,
        key: ["seq"],
        named: [named],
        changing: [],
        ...(isNumbered === true ? { isNumbered } : {}),
        log: { pages, time },
      },
      // A page without rows is the last one: what is written next comes after all others.
      { table: pages, summary: ["at"], summarize: ([first]) => [first?.[timeAt] ?? Number.MAX_SAFE_INTEGER] },
    );
    this.layout = layout;
  }

  /** Returns whether a row waits for a checkpoint. */
  isWaiting(sql: SqlStorage, name: Value): boolean {
    return this.get(sql, name) !== undefined;
  }

  /** The whole log, as it is stored. It is good until something is written. */
  stored(sql: CheckpointedSql): StoredLog<R> {
    return this.#stored(sql);
  }

  /** The last row that does not wait for a checkpoint. */
  lastStored(sql: SqlStorage): R | null {
    return this.#stored(sql).last;
  }

  #stored(sql: SqlStorage): StoredLog<R> {
    return new StoredLog(sql, this.layout, this.readPages(sql, MOST_READ));
  }

  /** Each page is written once. */
  deleteRead(sql: SqlStorage, rows: readonly R[]): void {
    const toRow = (row: R): Row => this.layout.columns.map((column) => row[column as keyof R] as Value);
    this.delete(sql, rows.map(toRow));
  }
}
