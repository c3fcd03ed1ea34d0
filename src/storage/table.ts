import type { CheckpointedSql } from "./transaction.ts";
import { nameOf, type Row, type TableShape, type Value } from "./wal/table-shape.ts";
import { addShape } from "./wal/table-shapes.ts";
import { walOf } from "./wal/write-ahead-log.ts";

export type { Row, Value } from "./wal/table-shape.ts";

/** Writes rows that a checkpoint brings, and takes out those that are deleted. */
export type StoreRows = (sql: SqlStorage, written: readonly Row[], deleted: readonly Row[]) => void;

/** Every table of the write-ahead log, by name. Each noun adds those that it declares, so that the compiler knows them all. */
export interface LoggedTables {}

export type LoggedShape = TableShape & { readonly name: keyof LoggedTables };

declare const TABLE: unique symbol;

/** The name of a table in statements. */
export type TableName = string & { readonly [TABLE]: true };

/**
 * A table whose rows frequent commands read by their names and change in memory. Whoever reads it by statements of their
 * own does so after a checkpoint.
 */
export class Table {
  readonly #shape: TableShape;

  /** `store` writes the rows of a table that has many of them in each of its own. */
  constructor(shape: LoggedShape, store?: StoreRows) {
    this.#shape = store === undefined ? shape : { ...shape, isGrouped: true };
    addShape(this.#shape, store && ((sql) => ({ change: (...changes) => store(sql, ...changes) })));
  }

  /** Its name, for statements that read or change it otherwise than by the names of rows. */
  in(_sql: CheckpointedSql): TableName {
    return this.#shape.name as TableName;
  }

  /** The row of these names where memory has it; null if it is deleted; undefined if the table may have it. */
  get(sql: SqlStorage, ...names: readonly Value[]): Row | null | undefined {
    return walOf(sql).get(this.#shape.name, nameOf(names));
  }

  /** Rows that the table does not have yet, or not like this, in the order in which they came. */
  changed(sql: SqlStorage): Iterable<Row> {
    return walOf(sql).changed(this.#shape.name);
  }

  /** All of them, and those that are deleted as they were. */
  touched(sql: SqlStorage): Iterable<Row> {
    return walOf(sql).touched(this.#shape.name);
  }

  put(sql: SqlStorage, rows: readonly Row[]): void {
    walOf(sql).change(this.#shape, rows, false);
  }

  delete(sql: SqlStorage, rows: readonly Row[]): void {
    walOf(sql).change(this.#shape, rows, true);
  }
}
