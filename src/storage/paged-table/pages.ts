import { KeyIndex } from "../key-index/key-index.ts";
import { HashProbe } from "../key-index/probe.ts";
import type { RowStore } from "../wal/row-store.ts";
import type { Row, TableShape } from "../wal/table-shape.ts";
import { IndexedPages } from "./indexed-pages.ts";
import { Page, PageCache } from "./page-cache.ts";
import type { PageLayout } from "./page-layout.ts";
import { deletePage, lastNumber, readPage, writePage } from "./page-rows.ts";

/** A page gets no row that would make it longer. A longer row has a page of its own. Rows may grow a little later. */
const FULL_CHARACTERS = 60_000;

/** Pages that are kept as they were read. */
const MOST_READ = 64;

/** A page as it will be written. */
interface PageDraft {
  /** As it is stored. Null if it is new. */
  readonly page: Page | null;
  readonly first: number;
  last: number;
  /** By number. Null if it is deleted. */
  readonly changed: Map<number, Row | null>;
  readonly added: Row[];
}

/**
 * The rows of a table, many to a row of another one. No two pages have numbers in common, and a row stays in its page. A
 * page without rows is deleted, unless it is the last: that one knows the highest number, and no number is used twice.
 */
export class Pages implements RowStore {
  readonly keyHashOf: ((row: Row) => number) | undefined;
  readonly #sql: SqlStorage;
  readonly #layout: PageLayout;
  readonly #numberAt: number;
  readonly #read: PageCache;
  #index: KeyIndex | null = null;
  #last: number | null = null;

  constructor(sql: SqlStorage, shape: TableShape, layout: PageLayout, mostRead?: number) {
    this.#sql = sql;
    this.#layout = layout;
    this.keyHashOf = layout.key?.hashOf;
    this.#numberAt = shape.columns.indexOf(shape.key[0] ?? "");
    this.#read = new PageCache(mostRead ?? (layout.key === undefined ? 0 : MOST_READ));
  }

  readonly numberOf = (row: Row): number => Number(row[this.#numberAt]);

  /** The highest number that a row here has or had. */
  get last(): number {
    return (this.#last ??= lastNumber(this.#sql, this.#layout));
  }

  /** All rows that have one of these key hashes. */
  find(keyHashes: ReadonlySet<number>): Row[] {
    const { key } = this.#layout;
    if (keyHashes.size === 0 || key === undefined) return [];
    const numbers = this.#keys()?.find(new HashProbe(Uint32Array.from(keyHashes))) ?? [];
    const found: Row[] = [];
    for (const number of [...new Set(numbers)].toSorted((one, other) => one - other)) {
      const row = this.row(number);
      if (row !== null && keyHashes.has(key.hashOf(row))) found.push(row);
    }
    return found;
  }

  /** The row with a number. */
  row(number: number): Row | null {
    if (this.#last !== null && number > this.#last) return null;
    return this.#with(number)?.byNumber(this.numberOf).get(number) ?? null;
  }

  /** The rows of the page that begins with a number. */
  at(first: number): readonly Row[] {
    const page = this.#read.get(first) ?? this.#readPage("first = ?", first);
    return page?.rows ?? [];
  }

  /** The rows up to a number, the last one first. */
  *rowsUpTo(number: number): Generator<Row> {
    for (let page = this.#upTo(number); page !== null; page = this.#before(page)) {
      for (const row of page.rows.toReversed()) if (this.numberOf(row) <= number) yield row;
    }
  }

  /** All of them, the last one first. */
  latest(): Generator<Row> {
    return this.rowsUpTo(Number.MAX_SAFE_INTEGER);
  }

  /** The rows after a number, in order. */
  *rowsAfter(number: number): Generator<Row> {
    for (const page of this.from(number)) {
      for (const row of page.rows) if (this.numberOf(row) > number) yield row;
    }
  }

  /** The page that a row of this number would be on, and those after it. */
  *from(number: number): Generator<Page> {
    for (let page = this.#upTo(number) ?? this.#next(number); page !== null; page = this.#next(page.first)) {
      yield page;
    }
  }

  /** The next page that has numbers after one. Null if there is none. */
  after(number: number): Page | null {
    return this.#with(number + 1) ?? this.#next(number);
  }

  /** Writes each page that changes once. */
  change(written: readonly Row[], deleted: readonly Row[]): void {
    if (written.length + deleted.length === 0) return;
    const index = this.#keys();
    const drafts = new Map<number, PageDraft>();
    const { last } = this;
    for (const row of deleted) this.#draftOf(row, drafts)?.changed.set(this.numberOf(row), null);
    const fresh: Row[] = [];
    for (const row of written) {
      if (index === null || this.numberOf(row) > last) fresh.push(row);
      else this.#replace(row, drafts);
    }
    fresh.sort((one, other) => this.numberOf(one) - this.numberOf(other));
    this.#append(fresh, drafts);
    for (const draft of drafts.values()) this.#write(draft);
    index?.add(fresh.map((row) => ({ number: this.keyHashOf?.(row) ?? 0, seq: this.numberOf(row) })));
  }

  #replace(row: Row, drafts: Map<number, PageDraft>): void {
    const number = this.numberOf(row);
    const draft = this.#draftOf(row, drafts);
    if (draft?.page?.byNumber(this.numberOf).has(number) !== true) {
      throw new Error(`${this.#layout.table} has no row ${number} to change`);
    }
    draft.changed.set(number, row);
  }

  /** Returns what the page of a row becomes. Null if no page has it. */
  #draftOf(row: Row, drafts: Map<number, PageDraft>): PageDraft | null {
    const number = this.numberOf(row);
    const page = number > this.last ? null : this.#with(number);
    return page === null ? null : draftIn(drafts, page);
  }

  /** The last page gets the next rows while it has room. */
  #append(fresh: readonly Row[], drafts: Map<number, PageDraft>): void {
    if (fresh.length === 0) return;
    const mostRows = this.#layout.key?.mostRows ?? Number.POSITIVE_INFINITY;
    const tail = this.#tail();
    let draft = tail === null ? null : draftIn(drafts, tail);
    let characters = tail?.body.length ?? 0;
    // The rows of a page that may have any number of them need not be read.
    let rows = tail === null || mostRows === Number.POSITIVE_INFINITY ? 0 : tail.rows.length;
    for (const row of fresh) {
      const number = this.numberOf(row);
      const length = JSON.stringify(row).length;
      if (draft === null || rows >= mostRows || characters + length > FULL_CHARACTERS) {
        draft = { page: null, first: number, last: number, changed: new Map(), added: [] };
        drafts.set(number, draft);
        [characters, rows] = [0, 0];
      }
      draft.added.push(row);
      draft.last = number;
      characters += length;
      rows += 1;
    }
    this.#last = this.numberOf(fresh.at(-1) ?? []);
  }

  #write(draft: PageDraft): void {
    const { page, first, last, changed, added } = draft;
    if (changed.size + added.length === 0) return;
    if (page !== null && changed.size === 0 && this.#layout.key === undefined && page.body !== "[]") {
      // Without reading its rows, whatever they are.
      const body = `${page.body.slice(0, -1)},${JSON.stringify(added).slice(1)}`;
      writePage(this.#sql, this.#layout, { first, last, summary: page.summary, body }, page);
      return;
    }
    const rows = this.#rowsOf(draft);
    if (rows.length === 0 && last < this.last) {
      deletePage(this.#sql, this.#layout, first);
      this.#read.drop(first);
      return;
    }
    const written = { first, last, summary: this.#layout.summarize(rows), body: JSON.stringify(rows) };
    writePage(this.#sql, this.#layout, written, page);
    this.#read.keep(new Page(written, rows));
  }

  #rowsOf({ page, changed, added }: PageDraft): Row[] {
    const rows: Row[] = [];
    for (const row of page?.rows ?? []) {
      const now = changed.get(this.numberOf(row));
      if (now !== null) rows.push(now ?? row);
    }
    rows.push(...added);
    return rows;
  }

  #with(number: number): Page | null {
    const page = this.#upTo(number);
    return page?.covers(number) === true ? page : null;
  }

  /** The last page that begins with a number or one before it. */
  #upTo(number: number): Page | null {
    return this.#read.with(number) ?? this.#readPage("first <= ? ORDER BY first DESC", number);
  }

  #tail(): Page | null {
    return this.#upTo(this.#last ?? Number.MAX_SAFE_INTEGER);
  }

  #before({ first }: Page): Page | null {
    return this.#readPage("first < ? ORDER BY first DESC", first);
  }

  #next(number: number): Page | null {
    return this.#readPage("first > ? ORDER BY first", number);
  }

  /** The first page that a condition finds, as it was read before if that is known. */
  #readPage(condition: string, number: number): Page | null {
    const row = readPage(this.#sql, this.#layout, condition, number);
    return row === null ? null : (this.#read.get(row.first) ?? this.#read.keep(new Page(row)));
  }

  #keys(): KeyIndex | null {
    const { key } = this.#layout;
    if (key === undefined) return null;
    this.#index ??= new KeyIndex(
      this.#sql,
      key.index,
      new IndexedPages(this.#sql, this.#layout, key.hashOf, this),
    );
    return this.#index.current();
  }

  rollBack(isChanged: boolean): void {
    this.#index?.rollBack();
    if (!isChanged) return;
    this.#read.clear();
    this.#last = null;
  }
}

function draftIn(drafts: Map<number, PageDraft>, page: Page): PageDraft {
  const there = drafts.get(page.first);
  if (there !== undefined) return there;
  const draft = { page, first: page.first, last: page.last, changed: new Map(), added: [] };
  drafts.set(page.first, draft);
  return draft;
}
