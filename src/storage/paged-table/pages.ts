import { HashProbe } from "../key-index/probe.ts";
import { TransactionalCache } from "../transactional-cache.ts";
import { KeyIndex } from "../key-index/key-index.ts";
import { IndexedPages } from "./indexed-pages.ts";
import { deletePage, type PageRow, readPage, writePage } from "./page-rows.ts";
import type { PageLayout } from "./page-layout.ts";
import { CachedPage, PageCache } from "./page-cache.ts";
import type { Row, TableShape } from "../wal/table-shape.ts";

/** A page gets no more rows than this, and none once it has so many characters. Its rows may grow a little later. */
const MOST_ROWS = 128;
const FULL_CHARACTERS = 60_000;
/** Pages that are kept as they were read. */
const MOST_READ = 64;

/** Whose index matches what is stored: nothing was rolled back since it was compared. */
const compared = new TransactionalCache<WeakSet<Pages>>();

/** What a page becomes. */
interface Draft {
  readonly page: CachedPage | null;
  readonly first: number;
  last: number;
  readonly rows: Map<number, Row>;
}

/**
 * The rows of a table, many to a row of another one. No two pages have numbers in common, and a row stays in its page. A
 * page without rows is deleted, unless it is the last: that one knows the highest number, and no number is used twice.
 */
export class Pages {
  readonly #sql: SqlStorage;
  readonly #kind: PageLayout;
  readonly #numberAt: number;
  readonly #onChange: (undo: () => void) => void;
  readonly #read = new PageCache(MOST_READ);
  #index: KeyIndex | null = null;
  #last: number | null = null;

  /** `onChange` gets what to call if a change to the pages is rolled back. */
  constructor(sql: SqlStorage, shape: TableShape, kind: PageLayout, onChange: (undo: () => void) => void) {
    this.#sql = sql;
    this.#kind = kind;
    this.#numberAt = shape.columns.indexOf(shape.key[0] ?? "");
    this.#onChange = onChange;
  }

  numberOf(row: Row): number {
    return Number(row[this.#numberAt]);
  }

  /** The highest number that a row here has or had. */
  get last(): number {
    this.#last ??= this.#tail()?.last ?? 0;
    return this.#last;
  }

  /** All rows that have one of these keyHashes. */
  find(keyHashes: ReadonlySet<number>): Row[] {
    if (keyHashes.size === 0) return [];
    const numbers = this.#ids().find(new HashProbe(Uint32Array.from(keyHashes)));
    const found: Row[] = [];
    if (numbers.length === 0) return found;
    for (const number of [...new Set(numbers)].toSorted((one, other) => one - other)) {
      const row = this.row(number);
      if (row !== null && keyHashes.has(this.#kind.keyHashOf(row))) found.push(row);
    }
    return found;
  }

  /** The row with a number. */
  row(number: number): Row | null {
    return number > this.last ? null : (this.#with(number)?.rows.get(number) ?? null);
  }

  /** The rows of the page that begins with a number. */
  at(first: number): Row[] {
    const page = this.#read.get(first) ?? this.#keep(readPage(this.#sql, this.#kind, "first = ?", first));
    return page?.inOrder ?? [];
  }

  /** The rows with the highest numbers first. */
  *latest(): Generator<Row> {
    for (let page = this.#tail(); page !== null; page = this.#before(page)) yield* page.inOrder.toReversed();
  }

  /** The rows of the next page after a number, and its last number. Null: there is none. */
  after(number: number): { readonly rows: Row[]; readonly last: number } | null {
    const page = this.#with(number + 1) ?? this.#next(number);
    return page === null ? null : { rows: page.inOrder, last: page.last };
  }

  /** Writes each page that changes once. */
  change(written: readonly Row[], deleted: readonly Row[]): void {
    if (written.length + deleted.length === 0) return;
    this.#onChange(() => this.#forget());
    const index = this.#ids();
    const drafts = new Map<number, Draft>();
    const { last } = this;
    for (const row of deleted) this.#draftOf(row, drafts)?.rows.delete(this.numberOf(row));
    const fresh: Row[] = [];
    for (const row of written) {
      const number = this.numberOf(row);
      if (number > last) fresh.push(row);
      else {
        const rows = this.#draftOf(row, drafts)?.rows;
        if (rows?.has(number) !== true) throw new Error(`${this.#kind.table} has no row ${number} to change`);
        rows.set(number, row);
      }
    }
    fresh.sort((one, other) => this.numberOf(one) - this.numberOf(other));
    this.#append(fresh, drafts);
    for (const draft of drafts.values()) this.#write(draft);
    index.add(fresh.map((row) => ({ number: this.#kind.keyHashOf(row), seq: this.numberOf(row) })));
  }

  /** What the page of a row becomes. Null: no page has it. */
  #draftOf(row: Row, drafts: Map<number, Draft>): Draft | null {
    const number = this.numberOf(row);
    const page = number > this.last ? null : this.#with(number);
    return page === null ? null : this.#draft(page, drafts);
  }

  #draft(page: CachedPage, drafts: Map<number, Draft>): Draft {
    const there = drafts.get(page.first);
    if (there !== undefined) return there;
    const draft = { page, first: page.first, last: page.last, rows: new Map(page.rows) };
    drafts.set(page.first, draft);
    return draft;
  }

  /** The last page gets the next rows while it has room. */
  #append(fresh: readonly Row[], drafts: Map<number, Draft>): void {
    if (fresh.length === 0) return;
    const tail = this.#tail();
    let draft = tail === null ? null : this.#draft(tail, drafts);
    let characters = draft === null ? 0 : JSON.stringify([...draft.rows.values()]).length;
    for (const row of fresh) {
      const number = this.numberOf(row);
      if (draft === null || draft.rows.size >= MOST_ROWS || characters >= FULL_CHARACTERS) {
        draft = { page: null, first: number, last: number, rows: new Map() };
        drafts.set(number, draft);
        characters = 0;
      }
      draft.rows.set(number, row);
      draft.last = number;
      characters += JSON.stringify(row).length;
      this.#last = number;
    }
  }

  #write({ page, first, last, rows }: Draft): void {
    if (rows.size === 0 && last < this.last) {
      deletePage(this.#sql, this.#kind, first);
      this.#read.drop(first);
      return;
    }
    const all = [...rows.values()];
    const summary = this.#kind.summarize(all);
    writePage(this.#sql, this.#kind, { first, last, summary, body: JSON.stringify(all) }, page);
    this.#read.keep(new CachedPage(first, last, summary, rows));
  }

  #with(number: number): CachedPage | null {
    const known = this.#read.with(number);
    if (known !== null) return known;
    const page = this.#keep(readPage(this.#sql, this.#kind, "first <= ? ORDER BY first DESC", number));
    return page?.covers(number) === true ? page : null;
  }

  #tail(): CachedPage | null {
    const known = this.#last === null ? null : this.#read.with(this.#last);
    return known ?? this.#keep(readPage(this.#sql, this.#kind, "true ORDER BY first DESC"));
  }

  #before({ first }: CachedPage): CachedPage | null {
    return this.#keep(readPage(this.#sql, this.#kind, "first < ? ORDER BY first DESC", first));
  }

  #next(number: number): CachedPage | null {
    return this.#keep(readPage(this.#sql, this.#kind, "first > ? ORDER BY first", number));
  }

  #keep(row: PageRow | null): CachedPage | null {
    if (row === null) return null;
    const known = this.#read.get(row.first);
    if (known !== null) return known;
    const rows = JSON.parse(row.body) as Row[];
    const byNumber = new Map(rows.map((one) => [this.numberOf(one), one]));
    return this.#read.keep(new CachedPage(row.first, row.last, row.summary, byNumber));
  }

  #ids(): KeyIndex {
    const known = compared.get(this.#sql, () => new WeakSet());
    if (this.#index !== null && known.has(this)) return this.#index;
    if (this.#index?.isCurrent() !== true)
      this.#index = new KeyIndex(this.#sql, this.#kind.index, new IndexedPages(this.#sql, this.#kind, this));
    known.add(this);
    return this.#index;
  }

  #forget(): void {
    this.#read.clear();
    this.#last = null;
  }
}
