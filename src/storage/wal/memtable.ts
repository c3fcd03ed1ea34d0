import type { Row } from "./table-shape.ts";

/** A row as it is, or, deleted, as it was. */
export interface MemtableRow {
  readonly row: Row;
  readonly isDeleted: boolean;
}

/** Rows of one table, by name. */
class TableRows extends Map<string, MemtableRow> {
  /** The names of rows that have a key hash. Some of these rows were taken back. */
  readonly namesByKeyHash = new Map<number, string[]>();
}

interface Change {
  readonly table: string;
  readonly tableRows: TableRows;
  readonly name: string;
  readonly before: MemtableRow | undefined;
}

/** The rows that are not in their tables yet, by table and name. Changes of a transaction can be taken back. */
export class Memtable {
  #tables = new Map<string, TableRows>();
  readonly #changes: (Change | (() => void))[] = [];

  get(table: string, name: string): MemtableRow | undefined {
    return this.#tables.get(table)?.get(name);
  }

  get isEmpty(): boolean {
    return this.#tables.size === 0;
  }

  *[Symbol.iterator](): Generator<readonly [table: string, tableRows: Iterable<MemtableRow>]> {
    for (const [table, tableRows] of this.#tables) yield [table, tableRows.values()];
  }

  of(table: string): Iterable<MemtableRow> {
    return this.#tables.get(table)?.values() ?? [];
  }

  /** Returns the rows with each of these key hashes that are not deleted, in the order in which they came. */
  withKeyHashes(table: string, keyHashes: Iterable<number>): Row[] {
    const rows: Row[] = [];
    const tableRows = this.#tables.get(table);
    if (tableRows === undefined) return rows;
    for (const keyHash of keyHashes) {
      for (const name of tableRows.namesByKeyHash.get(keyHash) ?? []) {
        const memtableRow = tableRows.get(name);
        if (memtableRow?.isDeleted === false) rows.push(memtableRow.row);
      }
    }
    return rows;
  }

  /** Sets a row, which keeps the key hash that it came with. */
  set(table: string, name: string, memtableRow: MemtableRow, keyHashOf?: (row: Row) => number): void {
    let tableRows = this.#tables.get(table);
    if (tableRows === undefined) this.#tables.set(table, (tableRows = new TableRows()));
    const before = tableRows.get(name);
    this.#changes.push({ table, tableRows, name, before });
    tableRows.set(name, memtableRow);
    if (keyHashOf === undefined || before !== undefined) return;
    const keyHash = keyHashOf(memtableRow.row);
    const names = tableRows.namesByKeyHash.get(keyHash);
    if (names === undefined) tableRows.namesByKeyHash.set(keyHash, [name]);
    else if (!names.includes(name)) names.push(name);
  }

  /** Forgets the rows that are in their tables now, and keeps those of tables that stay. */
  clear(stays: (table: string) => boolean = () => false): void {
    const before = this.#tables;
    this.#changes.push(() => {
      this.#tables = before;
    });
    this.#tables = new Map([...before].filter(([table]) => stays(table)));
  }

  /** How many changes there are to take back. */
  get savepoint(): number {
    return this.#changes.length;
  }

  /** Puts the rows that were changed since a mark back as they were. */
  rollBack(savepoint: number): void {
    while (this.#changes.length > savepoint) {
      const change = this.#changes.pop();
      if (typeof change === "function") change();
      else if (change !== undefined) {
        const { tableRows, name, before } = change;
        if (before === undefined) tableRows.delete(name);
        else tableRows.set(name, before);
      }
    }
  }

  /** The tables and names that were changed since the last time, each once. The rows stay. */
  takeChanged(): Map<string, Set<string>> {
    const changed = new Map<string, Set<string>>();
    for (const change of this.#changes) {
      // Rows from before a checkpoint are in the tables.
      if (typeof change === "function" || this.#tables.get(change.table) !== change.tableRows) continue;
      const names = changed.get(change.table);
      if (names === undefined) changed.set(change.table, new Set([change.name]));
      else names.add(change.name);
    }
    return changed;
  }

  commit(): void {
    this.#changes.length = 0;
  }
}
