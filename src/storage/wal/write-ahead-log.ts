import { TransactionalCache } from "../transactional-cache.ts";
import {
  MOST_CARRIED_CHARACTERS,
  MOST_CHARACTERS,
  MOST_ENTRIES,
  MOST_LOGGED_CHARACTERS,
  readEntries,
  type TableChange,
  writeEntry,
  writeCheckpoint,
} from "./entries.ts";
import { type MemtableRow, Memtable } from "./memtable.ts";
import type { RowStore } from "./row-store.ts";
import { type Row, rowName, type TableShape } from "./table-shape.ts";
import { isUnnumbered, numberOf, withNumber } from "./row-numbers.ts";
import { openStore, shapeIn, type Shapes, SHAPES } from "./table-shapes.ts";

/**
 * The changes of frequent commands that the tables do not have yet. Each such command writes one row, an entry that
 * says what it changed, whole; every so often a checkpoint writes each row that was changed once. A transaction of
 * another kind makes a checkpoint first and then works on the tables, so that nobody else need know.
 */
export class WriteAheadLog {
  readonly #sql: SqlStorage;
  readonly #shapes: Shapes;
  readonly #memtable = new Memtable();
  /** The number of the last entry. */
  #seq: number;
  #entries: number;
  #characters = 0;
  /** Transactions that are open, one inside the other. */
  #depth = 0;
  #usesWal = false;
  /** The highest number that a row here has or had, by table. */
  readonly #highest = new Map<string, number>();
  readonly #stores = new Map<string, RowStore>();
  /** The stores that the last transaction has written to, which may be open. */
  readonly #changedStores = new Set<RowStore>();

  constructor(sql: SqlStorage, shapes: Shapes) {
    this.#sql = sql;
    this.#shapes = shapes;
    const { seq, bodies } = readEntries(sql);
    this.#seq = seq;
    this.#entries = bodies.length;
    for (const body of bodies) {
      this.#characters += body.length;
      for (const [table, written, deleted] of JSON.parse(body) as TableChange[]) {
        this.#set(shapeIn(shapes, table), written, false);
        this.#set(shapeIn(shapes, table), deleted, true);
      }
    }
    this.#memtable.commit();
  }

  get(table: string, name: string): Row | null | undefined {
    const memtableRow = this.#memtable.get(table, name);
    if (memtableRow === undefined) return undefined;
    return memtableRow.isDeleted ? null : memtableRow.row;
  }

  *changed(table: string): Generator<Row> {
    for (const { row, isDeleted } of this.#memtable.of(table)) if (!isDeleted) yield row;
  }

  /** The same for a table with pages: its rows with one of these key hashes. */
  withKeyHashes(table: string, keyHashes: Iterable<number>): readonly Row[] {
    return this.#memtable.withKeyHashes(table, keyHashes);
  }

  *touched(table: string): Generator<Row> {
    for (const { row } of this.#memtable.of(table)) yield row;
  }

  change(shape: TableShape, rows: readonly Row[], isDeleted: boolean): void {
    if (!this.#usesWal) this.checkpoint();
    const whole = this.#numbered(shape, rows);
    if (this.#usesWal) this.#set(shape, whole, isDeleted);
    else this.#write(shape, isDeleted ? [] : whole, isDeleted ? whole : []);
  }

  /** Where the rows of a table are stored, without what memory has. */
  store(shape: TableShape): RowStore {
    let store = this.#stores.get(shape.name);
    if (store === undefined) {
      store = openStore(shape)(this.#sql);
      this.#stores.set(shape.name, store);
    }
    return store;
  }

  #write(shape: TableShape, written: readonly Row[], deleted: readonly Row[]): void {
    const store = this.store(shape);
    this.#changedStores.add(store);
    store.change(written, deleted);
  }

  /** A transaction was rolled back. The memtable is as it was before; what else is in memory follows. */
  rollBack(): void {
    for (const store of this.#stores.values()) store.rollBack?.(this.#changedStores.has(store));
  }

  /**
   * Rows that have no number yet get one here, not in the table: whoever has read a row knows its number, before and
   * after a checkpoint. A row that takes the place of another has that one's.
   */
  #numbered(shape: TableShape, rows: readonly Row[]): readonly Row[] {
    if (!rows.some((row) => isUnnumbered(shape, row))) return rows;
    let last = Math.max(this.store(shape).last ?? 0, this.#highest.get(shape.name) ?? 0);
    return rows.map((row) => {
      if (!isUnnumbered(shape, row)) return row;
      const before = this.#memtable.get(shape.name, rowName(shape, row));
      if (before !== undefined) return withNumber(shape, row, numberOf(shape, before.row));
      last += 1;
      return withNumber(shape, row, last);
    });
  }

  #set(shape: TableShape, rows: readonly Row[], isDeleted: boolean): void {
    const { keyHashOf } = this.store(shape);
    const isNumbered = shape.isNumbered === true;
    let highest = this.#highest.get(shape.name) ?? 0;
    for (const row of rows) {
      this.#memtable.set(shape.name, rowName(shape, row), { row, isDeleted }, keyHashOf);
      if (isNumbered) highest = Math.max(highest, Number(numberOf(shape, row)));
    }
    if (isNumbered) this.#highest.set(shape.name, highest);
  }

  get isCheckpointed(): boolean {
    return this.#memtable.isEmpty;
  }

  /** Writes every changed row to its table. */
  checkpoint(): void {
    if (this.#memtable.isEmpty) return;
    for (const [name, memtableRows] of this.#memtable) {
      const all = [...memtableRows];
      this.#write(shapeIn(this.#shapes, name), rowsOf(all, false), rowsOf(all, true));
    }
    this.#memtable.clear();
    if (this.#entries > 0) writeCheckpoint(this.#sql, this.#seq);
    this.#entries = 0;
    this.#characters = 0;
  }

  /** Runs inside a transaction of the storage: `transact` opens it. A failure leaves everything as it was. */
  within<T>(usesWal: boolean, transact: (run: () => T) => T, run: () => T): T {
    const isOutermost = this.#depth === 0;
    const before = {
      savepoint: this.#memtable.savepoint,
      entries: this.#entries,
      characters: this.#characters,
      seq: this.#seq,
    };
    if (isOutermost) {
      this.#usesWal = usesWal;
      this.#changedStores.clear();
    }
    this.#depth += 1;
    try {
      const result = transact(() => {
        if (isOutermost && !usesWal) this.checkpoint();
        const done = run();
        if (isOutermost && usesWal) this.#writeEntry();
        return done;
      });
      if (isOutermost) this.#memtable.commit();
      return result;
    } catch (error) {
      this.#memtable.rollBack(before.savepoint);
      this.#entries = before.entries;
      this.#characters = before.characters;
      this.#seq = before.seq;
      throw error;
    } finally {
      this.#depth -= 1;
      if (isOutermost) this.#usesWal = false;
    }
  }

  #writeEntry(): void {
    const changes: TableChange[] = [];
    for (const [table, names] of this.#memtable.takeChanged()) {
      const memtableRows = Array.from(names, (name) => this.#memtable.get(table, name)).filter(
        (one) => one !== undefined,
      );
      if (memtableRows.length > 0)
        changes.push([table, rowsOf(memtableRows, false), rowsOf(memtableRows, true)]);
    }
    if (changes.length === 0) return;
    const body = JSON.stringify(changes);
    const characters = this.#characters + body.length;
    if (body.length > MOST_CHARACTERS) {
      this.checkpoint();
      return;
    }
    if (this.#entries + 1 >= MOST_ENTRIES || characters > MOST_LOGGED_CHARACTERS) {
      this.#makeRoom();
      return;
    }
    this.#characters = characters;
    this.#append(body);
  }

  #append(body: string): void {
    this.#seq += 1;
    this.#entries += 1;
    writeEntry(this.#sql, this.#seq, body);
  }

  /**
   * Makes room for entries. Rows that change again and again, such as the counters of thousands of customers, stay in the write-ahead log:
   * as they are now, in as few entries as they fit into. All others are written to their tables.
   */
  #makeRoom(): void {
    const isCarried = (name: string) => shapeIn(this.#shapes, name).isCarried === true;
    const carried = [...this.#memtable].flatMap(([name, memtableRows]) =>
      isCarried(name) ? Array.from(memtableRows, (memtableRow) => ({ name, memtableRow })) : [],
    );
    const bodies = carriedBodies(carried);
    if (bodies === null) {
      this.checkpoint();
      return;
    }
    for (const [name, memtableRows] of this.#memtable) {
      const all = [...memtableRows];
      if (!isCarried(name)) {
        this.#write(shapeIn(this.#shapes, name), rowsOf(all, false), rowsOf(all, true));
      }
    }
    this.#memtable.clear(isCarried);
    if (this.#entries > 0) writeCheckpoint(this.#sql, this.#seq);
    this.#entries = 0;
    this.#characters = 0;
    for (const body of bodies) this.#append(body);
  }
}

interface CarriedRow {
  readonly name: string;
  readonly memtableRow: MemtableRow;
}

/** Entries with the rows that stay in the write-ahead log. Null if there are too many of them. */
function carriedBodies(carried: readonly CarriedRow[]): string[] | null {
  const parts: CarriedRow[][] = [];
  let [room, characters] = [0, 0];
  for (const one of carried) {
    const size = JSON.stringify(one.memtableRow.row).length + 1;
    characters += size;
    if (characters > MOST_CARRIED_CHARACTERS) return null;
    if (size > room) {
      parts.push([]);
      room = MOST_CHARACTERS;
    }
    parts.at(-1)?.push(one);
    room -= size;
  }
  return parts.map(bodyOf);
}

function bodyOf(rows: readonly CarriedRow[]): string {
  const changes = Array.from(
    Map.groupBy(rows, ({ name }) => name),
    ([name, of]): TableChange => {
      const memtableRows = of.map(({ memtableRow }) => memtableRow);
      return [name, rowsOf(memtableRows, false), rowsOf(memtableRows, true)];
    },
  );
  return JSON.stringify(changes);
}

function rowsOf(memtableRows: readonly MemtableRow[], isDeleted: boolean): Row[] {
  return memtableRows.filter((memtableRow) => memtableRow.isDeleted === isDeleted).map(({ row }) => row);
}

const logs = new TransactionalCache<WriteAheadLog>((log) => log.rollBack());

/** The write-ahead log of an org's object, with what was in no checkpoint when it last went down. */
export function walOf(sql: SqlStorage): WriteAheadLog {
  return logs.get(sql, () => new WriteAheadLog(sql, SHAPES));
}
