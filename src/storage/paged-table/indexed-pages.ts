import type { IndexedRows } from "../key-index/key-index.ts";
import type { Row } from "../wal/table-shape.ts";
import type { PageLayout } from "./page-layout.ts";
import { firstNumber } from "./page-rows.ts";

/** Rows in the order of their numbers. */
interface NumberedRows {
  /** The number of the last one. */
  readonly last: number;
  rowsAfter(seq: number): Iterable<Row>;
  numberOf(row: Row): number;
}

/** Pages as their index sees them. */
export class IndexedPages implements IndexedRows {
  readonly hasGaps = true;
  readonly hashSecret = "";
  readonly #sql: SqlStorage;
  readonly #layout: PageLayout;
  readonly #hashOf: (row: Row) => number;
  readonly #pages: NumberedRows;

  constructor(sql: SqlStorage, layout: PageLayout, hashOf: (row: Row) => number, pages: NumberedRows) {
    this.#sql = sql;
    this.#layout = layout;
    this.#hashOf = hashOf;
    this.#pages = pages;
  }

  get firstSeq(): number {
    return firstNumber(this.#sql, this.#layout) ?? this.lastSeq + 1;
  }

  get lastSeq(): number {
    return this.#pages.last;
  }

  *keyHashesAfter(seq: number): Generator<readonly [seq: number, number: number]> {
    for (const row of this.#pages.rowsAfter(seq)) yield [this.#pages.numberOf(row), this.#hashOf(row)];
  }
}
