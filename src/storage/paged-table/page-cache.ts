import type { Row, Value } from "../wal/table-shape.ts";
import type { PageRow } from "./page-rows.ts";

/** A page as it is stored. Its rows are read when they are needed. */
export class Page {
  readonly first: number;
  readonly last: number;
  readonly summary: readonly Value[];
  #body: string | null;
  #rows: readonly Row[] | null;
  #byNumber: ReadonlyMap<number, Row> | null = null;

  constructor({ first, last, summary, body }: PageRow, rows: readonly Row[] | null = null) {
    this.first = first;
    this.last = last;
    this.summary = summary;
    this.#body = rows === null ? body : null;
    this.#rows = rows;
  }

  covers(number: number): boolean {
    return this.first <= number && number <= this.last;
  }

  /** The rows as JSON. */
  get body(): string {
    return this.#body ?? JSON.stringify(this.#rows);
  }

  /** The rows in the order of their numbers. */
  get rows(): readonly Row[] {
    this.#rows ??= JSON.parse(this.body) as Row[];
    this.#body = null;
    return this.#rows;
  }

  byNumber(numberOf: (row: Row) => number): ReadonlyMap<number, Row> {
    return (this.#byNumber ??= new Map(this.rows.map((row) => [numberOf(row), row])));
  }
}

/** Pages that were read last, by their first numbers. */
export class PageCache {
  readonly #most: number;
  readonly #pages = new Map<number, Page>();

  constructor(most: number) {
    this.#most = most;
  }

  with(number: number): Page | null {
    for (const page of this.#pages.values()) if (page.covers(number)) return page;
    return null;
  }

  get(first: number): Page | null {
    return this.#pages.get(first) ?? null;
  }

  keep(page: Page): Page {
    this.#pages.delete(page.first);
    this.#pages.set(page.first, page);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > this.#most && oldest !== undefined) this.#pages.delete(oldest);
    return page;
  }

  drop(first: number): void {
    this.#pages.delete(first);
  }

  clear(): void {
    this.#pages.clear();
  }
}
