import type { Row, Value } from "../wal/table-shape.ts";
import { Table } from "../table.ts";
import type { LogLayout, LogRow } from "./log-layout.ts";
import { StoredLog } from "./stored-log.ts";

/**
 * Rows that are written in the order of their numbers and times, and never change. Most come from frequent calls, so many
 * of them are one row of a table of pages.
 */
export class AppendOnlyLog<R extends LogRow> {
  readonly kind: LogLayout;
  readonly #table: Table;

  constructor(kind: LogLayout) {
    const { name, columns, named, isNumbered, pages, time } = kind;
    this.kind = kind;
    this.#table = new Table({
      name,
      columns,
      key: ["seq"],
      named: [named],
      changing: [],
      ...(isNumbered === true ? { isNumbered } : {}),
      log: { pages, time },
    });
  }

  put(sql: SqlStorage, rows: readonly Row[]): void {
    this.#table.put(sql, rows);
  }

  /** Whether a row waits in the write-ahead log. */
  isWaiting(sql: SqlStorage, name: Value): boolean {
    return this.#table.get(sql, name) !== undefined;
  }

  /** What is stored, without what waits in the write-ahead log. Good until something is written. */
  stored(sql: SqlStorage): StoredLog<R> {
    return new StoredLog(sql, this.kind);
  }

  /** After a checkpoint. Each page is written once, and one without rows is deleted. */
  delete(sql: SqlStorage, rows: readonly R[]): void {
    if (rows.length === 0) return;
    const numbers = new Set(rows.map(({ seq }) => seq));
    const stored = this.stored(sql);
    for (const first of new Set(rows.map(({ seq }) => stored.placeOf(seq)))) {
      if (first !== null) stored.rewrite(first, (row) => !numbers.has(row.seq));
    }
  }
}
