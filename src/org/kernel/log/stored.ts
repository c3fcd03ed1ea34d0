import { HOUR_MS } from "../../../contract/durations.ts";
import type { Value } from "../journal/shape.ts";
import type { LogKind, LogRow } from "./kind.ts";
import { firstSince } from "./since.ts";

/** Rows of earlier versions that are read at once. */
const CHUNK = 500;
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
  readonly #kind: LogKind;
  /** By their first numbers. */
  readonly #read = new Map<number, readonly R[]>();

  constructor(sql: SqlStorage, kind: LogKind) {
    this.#sql = sql;
    this.#kind = kind;
  }

  /** Those after a number, in order. */
  *after(number: number): Generator<R> {
    for (let last = number; ;) {
      const rows = this.#earlier("seq > ? ORDER BY seq", last);
      yield* rows;
      if (rows.length < CHUNK) break;
      last = rows.at(-1)?.seq ?? last;
    }
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
    for (let last = number; ;) {
      const rows = this.#earlier("seq <= ? ORDER BY seq DESC", last);
      yield* rows;
      if (rows.length < CHUNK) break;
      last = (rows.at(-1)?.seq ?? last) - 1;
    }
  }

  get last(): R | null {
    for (const row of this.upTo(Number.MAX_SAFE_INTEGER)) return row;
    return null;
  }

  row(number: number): R | null {
    const first = this.placeOf(number);
    const rows = first === null ? this.#earlier("seq = ?", number) : this.#rows(first);
    return rows.find(({ seq }) => seq === number) ?? null;
  }

  /** Those that have a value, in order, without reading pages that do not contain it. */
  *with(column: keyof R & string, value: string): Generator<R> {
    const { name, columns, pages } = this.#kind;
    const rows = this.#sql.exec(
      `SELECT ${columns.join(", ")} FROM ${name} WHERE ${column} = ? ORDER BY seq`,
      value,
    );
    for (const row of rows.raw()) yield this.#named(row as Value[]);
    const found = this.#sql.exec<{ first: number }>(
      `SELECT first FROM ${pages} WHERE instr(body, ?) > 0 ORDER BY first`,
      JSON.stringify(value),
    );
    for (const { first } of found.toArray()) {
      for (const row of this.#rows(first)) if (row[column] === value) yield row;
    }
  }

  /** The first number from which on rows have this time or a later one. */
  firstSince(atMs: number): number {
    const { name, time, pages } = this.#kind;
    const early = firstSince(this.#sql, { table: name, number: "seq", time }, atMs);
    if (early.isThere) return early.number;
    // The row is on the last page that begins before the time, or begins the next.
    const next = firstSince(this.#sql, { table: pages, number: "first", time: "at" }, atMs).number;
    const first = this.placeOf(next - 1);
    if (first === null) return Math.max(early.number, next);
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

  #earlier(condition: string, bound: number): R[] {
    const { name, columns } = this.#kind;
    const rows = this.#sql.exec(
      `SELECT ${columns.join(", ")} FROM ${name} WHERE ${condition} LIMIT ?`,
      bound,
      CHUNK,
    );
    return Array.from(rows.raw(), (row) => this.#named(row as Value[]));
  }

  #named(row: readonly Value[]): R {
    const named: Record<string, Value> = {};
    let at = 0;
    for (const column of this.#kind.columns) named[column] = row[at++] ?? null;
    return named as unknown as R;
  }
}
