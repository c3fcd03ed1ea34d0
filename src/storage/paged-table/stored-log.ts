import { HOUR_MS } from "../../contract/durations.ts";
import type { Value } from "../wal/table-shape.ts";
import type { LogLayout, LogRow } from "./log-layout.ts";

/** A row and the one before it are on two pages at most. */
const MOST_READ = 2;

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
  readonly #kind: LogLayout;
  /** By their first numbers. */
  readonly #read = new Map<number, readonly R[]>();

  constructor(sql: SqlStorage, kind: LogLayout) {
    this.#sql = sql;
    this.#kind = kind;
  }

  /** Those after a number, in order. */
  *after(number: number): Generator<R> {
    let first = this.placeOf(number) ?? this.#first("true ORDER BY first");
    for (; first !== null; first = this.#first("first > ? ORDER BY first", first)) {
      for (const row of this.#rows(first)) if (row.seq > number) yield row;
    }
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
    let first = this.placeOf(number);
    for (; first !== null; first = this.#first("first < ? ORDER BY first DESC", first)) {
      for (const row of this.#rows(first).toReversed()) if (row.seq <= number) yield row;
    }
  }

  get last(): R | null {
    for (const row of this.upTo(Number.MAX_SAFE_INTEGER)) return row;
    return null;
  }

  row(number: number): R | null {
    const first = this.placeOf(number);
    if (first === null) return null;
    return this.#rows(first).find(({ seq }) => seq === number) ?? null;
  }

  /** Those that have a value, in order, without reading pages that do not contain it. */
  *with(column: keyof R & string, value: string): Generator<R> {
    const found = this.#sql.exec<{ first: number }>(
      `SELECT first FROM ${this.#kind.pages} WHERE instr(body, ?) > 0 ORDER BY first`,
      JSON.stringify(value),
    );
    for (const { first } of found.toArray()) {
      for (const row of this.#rows(first)) if (row[column] === value) yield row;
    }
  }

  /** The first number from which on rows have this time or a later one. */
  firstSince(atMs: number): number {
    const { time } = this.#kind;
    // The row is on the last page that begins before the time, or begins the next.
    const next = this.#firstPageSince(atMs);
    const first = this.placeOf(next - 1);
    if (first === null) return next;
    const rows = this.#rows(first);
    const found = rows.find((row) => Number(row[time as keyof R]) >= atMs);
    return found?.seq ?? this.#first("first > ? ORDER BY first", first) ?? (rows.at(-1)?.seq ?? first) + 1;
  }

  /** Where rows from one time to another lie, and some beside them. */
  range({ from, to }: { readonly from?: number; readonly to?: number }): Range {
    return {
      first: from === undefined ? 0 : this.firstSince(from - CLOCK_SLACK_MS),
      end: to === undefined ? Number.MAX_SAFE_INTEGER : this.firstSince(to + CLOCK_SLACK_MS),
    };
  }

  /** The first number of the page that a row of this number would be on. */
  placeOf(number: number): number | null {
    return this.#first("first <= ? ORDER BY first DESC", number);
  }

  /** Leaves some rows of a page out. */
  rewrite(first: number, isKept: (row: R) => boolean): void {
    const { columns, time, pages } = this.#kind;
    const kept = this.#rows(first).filter(isKept);
    this.#read.delete(first);
    const [oldest] = kept;
    if (oldest === undefined) {
      this.#sql.exec(`DELETE FROM ${pages} WHERE first = ?`, first);
      return;
    }
    const rows = kept.map((row) => columns.map((column) => row[column as keyof R]));
    this.#sql.exec(
      `UPDATE ${pages} SET at = ?, body = ? WHERE first = ?`,
      Number(oldest[time as keyof R]),
      JSON.stringify(rows),
      first,
    );
  }

  #first(condition: string, ...bound: readonly number[]): number | null {
    const rows = this.#sql.exec<{ first: number }>(
      `SELECT first FROM ${this.#kind.pages} WHERE ${condition} LIMIT 1`,
      ...bound,
    );
    return rows.toArray()[0]?.first ?? null;
  }

  /** A number up to which all pages begin before a time, by binary search: they are in the order of their times. */
  #firstPageSince(atMs: number): number {
    const { pages } = this.#kind;
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

  #rows(first: number): readonly R[] {
    const known = this.#read.get(first);
    if (known !== undefined) return known;
    const { body } = this.#sql
      .exec<{ body: string }>(`SELECT body FROM ${this.#kind.pages} WHERE first = ?`, first)
      .one();
    const rows = (JSON.parse(body) as Value[][]).map((row) => this.#named(row));
    this.#read.set(first, rows);
    const [oldest] = this.#read.keys();
    if (this.#read.size > MOST_READ && oldest !== undefined) this.#read.delete(oldest);
    return rows;
  }

  #named(row: readonly Value[]): R {
    const named: Record<string, Value> = {};
    let at = 0;
    for (const column of this.#kind.columns) named[column] = row[at++] ?? null;
    return named as unknown as R;
  }
}
