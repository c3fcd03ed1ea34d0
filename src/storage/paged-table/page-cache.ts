import type { Row, Value } from "../wal/table-shape.ts";

/** A page as it is stored. */
export class CachedPage {
  readonly first: number;
  readonly last: number;
  /** What it tells of itself. */
  readonly summary: readonly Value[];
  /** By number, in order. */
  readonly rows: ReadonlyMap<number, Row>;

  constructor(first: number, last: number, summary: readonly Value[], rows: ReadonlyMap<number, Row>) {
    this.first = first;
    this.last = last;
    this.summary = summary;
    this.rows = rows;
  }

  covers(number: number): boolean {
    return this.first <= number && number <= this.last;
  }

  get inOrder(): Row[] {
    return [...this.rows.values()];
  }
}

/** Pages that were read last, by their first numbers. */
export class PageCache {
  readonly #most: number;
  readonly #pages = new Map<number, CachedPage>();

  constructor(most: number) {
    this.#most = most;
  }

  with(number: number): CachedPage | null {
    for (const page of this.#pages.values()) if (page.covers(number)) return page;
    return null;
  }

  get(first: number): CachedPage | null {
    return this.#pages.get(first) ?? null;
  }

  keep(page: CachedPage): CachedPage {
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
