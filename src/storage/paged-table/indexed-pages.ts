import type { IndexedRows } from "../key-index/key-index.ts";
import type { PageLayout } from "./page-layout.ts";
import { firstNumber } from "./page-rows.ts";
import type { Pages } from "./pages.ts";

/** Pages as their index sees them. */
export class IndexedPages implements IndexedRows {
  readonly hasGaps = true;
  readonly hashSecret = "";
  readonly #sql: SqlStorage;
  readonly #kind: PageLayout;
  readonly #pages: Pages;

  constructor(sql: SqlStorage, kind: PageLayout, pages: Pages) {
    this.#sql = sql;
    this.#kind = kind;
    this.#pages = pages;
  }

  get firstSeq(): number {
    return firstNumber(this.#sql, this.#kind) ?? this.lastSeq + 1;
  }

  get lastSeq(): number {
    return this.#pages.last;
  }

  *keyHashesAfter(seq: number): Generator<readonly [seq: number, number: number]> {
    for (let next = this.#pages.after(seq); next !== null; next = this.#pages.after(next.last)) {
      for (const row of next.rows) {
        const number = this.#pages.numberOf(row);
        if (number > seq) yield [number, this.#kind.keyHashOf(row)];
      }
    }
  }
}
