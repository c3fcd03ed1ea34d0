import { HOUR_MS } from "../../contract/durations.ts";
import type { Row, Value } from "../table.ts";
import type { LogLayout, LogRow } from "./log-layout.ts";
import type { Pages } from "./pages.ts";

/** Clocks differ, so rows may be out of order by this much. */
const CLOCK_SLACK_MS = HOUR_MS;

/** Numbers from the first on, before the end. */
interface Range {
  readonly first: number;
  readonly end: number;
}

/** The rows of a log as they are stored, for one call. */
export class StoredLog<R extends LogRow> {
  readonly #sql: SqlStorage;
  readonly #layout: LogLayout;
  readonly #pages: Pages;

  constructor(sql: SqlStorage, layout: LogLayout, pages: Pages) {
    this.#sql = sql;
    this.#layout = layout;
    this.#pages = pages;
  }

  /** Those after a number, in order. */
  *after(number: number): Generator<R> {
    for (const row of this.#pages.rowsAfter(number)) yield this.#named(row);
  }

  /** The first of those after a number. */
  some(number: number, most: number): R[] {
    const rows: R[] = [];
    for (const row of this.after(number)) {
      rows.push(row);
      if (rows.length === most) break;
    }
    return rows;
  }

  /** Those up to a number, the last one first. */
  *upTo(number: number): Generator<R> {
    for (const row of this.#pages.rowsUpTo(number)) yield this.#named(row);
  }

  get last(): R | null {
    for (const row of this.#pages.latest()) return this.#named(row);
    return null;
  }

  row(number: number): R | null {
    const row = this.#pages.row(number);
    return row === null ? null : this.#named(row);
  }

  /** Those that have a value, in order, without reading pages that do not contain it. */
  *with(column: keyof R & string, value: string): Generator<R> {
    const found = this.#sql.exec<{ first: number }>(
      `SELECT first FROM ${this.#layout.pages} WHERE instr(body, ?) > 0 ORDER BY first`,
      JSON.stringify(value),
    );
    for (const { first } of found.toArray()) {
      for (const row of this.#pages.at(first).map((one) => this.#named(one)))
        if (row[column] === value) yield row;
    }
  }

  /** The first number from which on rows have this time or a later one. */
  firstSince(atMs: number): number {
    const timeAt = this.#layout.columns.indexOf(this.#layout.time);
    // The row is on the last page that begins before the time, or begins the next.
    for (const { rows } of this.#pages.from(this.#firstPageSince(atMs) - 1)) {
      const found = rows.find((row) => Number(row[timeAt]) >= atMs);
      if (found !== undefined) return this.#pages.numberOf(found);
    }
    return this.#pages.last + 1;
  }

  /** Where rows from one time to another lie, and some beside them. */
  range({ from, to }: { readonly from?: number; readonly to?: number }): Range {
    return {
      first: from === undefined ? 0 : this.firstSince(from - CLOCK_SLACK_MS),
      end: to === undefined ? Number.MAX_SAFE_INTEGER : this.firstSince(to + CLOCK_SLACK_MS),
    };
  }

  /** A number up to which all pages begin before a time, by binary search: they are in the order of their times. */
  #firstPageSince(atMs: number): number {
    const { pages } = this.#layout;
    const { least, most } = this.#sql
      .exec<{ least: number; most: number }>(
        `SELECT IFNULL((SELECT MIN(first) FROM ${pages}), 0) AS least,
           IFNULL((SELECT MAX(first) FROM ${pages}), 0) AS most`,
      )
      .one();
    let [low, high] = [least, most + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [page] = this.#sql.exec<{ at: number }>(
        `SELECT at FROM ${pages} WHERE first >= ? ORDER BY first LIMIT 1`,
        middle,
      );
      if (page !== undefined && page.at < atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #named(row: Row): R {
    const named: Record<string, Value> = {};
    let at = 0;
    for (const column of this.#layout.columns) named[column] = row[at++] ?? null;
    return named as unknown as R;
  }
}
