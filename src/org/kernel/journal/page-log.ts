import type { IndexedLog } from "../id-index/log-index.ts";
import type { PageKind } from "./page-kind.ts";
import { firstNumber } from "./page-store.ts";
import type { Pages } from "./pages.ts";

/** Pages as their index sees them. */
export class PageLog implements IndexedLog {
  readonly hasGaps = true;
  readonly hashing = "";
  readonly #sql: SqlStorage;
  readonly #kind: PageKind;
  readonly #pages: Pages;

  constructor(sql: SqlStorage, kind: PageKind, pages: Pages) {
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

  *numbersAfter(seq: number): Generator<readonly [seq: number, number: number]> {
    for (let next = this.#pages.after(seq); next !== null; next = this.#pages.after(next.last)) {
      for (const row of next.rows) {
        const number = this.#pages.numberOf(row);
        if (number > seq) yield [number, this.#kind.tagOf(row)];
      }
    }
  }
}
