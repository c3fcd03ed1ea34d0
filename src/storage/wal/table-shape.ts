import { runInParts, jsonRows } from "../json-rows.ts";

/** A value that goes through JSON unchanged. */
export type Value = string | number | null;
/** The values of a row, in the order of its table's columns. */
export type Row = readonly Value[];

/** The write-ahead log must know this of a table to write its rows. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns by which the table tells rows apart. */
  readonly key: readonly string[];
  /** The columns by which memory tells rows apart. */
  readonly named: readonly string[];
  /** The columns that change once a row is there. If there are none, rows are appended, and stay as they are. */
  readonly changing: readonly string[];
  /** Its key is a number, and null in a row that is to get the next one. */
  readonly isNumbered?: true;
  /** Its rows are stored in pages. There is no table of its name. */
  readonly isPaged?: true;
  /** The same rows change again and again: only a checkpoint for others writes them, and not one that makes room in the write-ahead log. */
  readonly isCarried?: true;
  /** The table has many of them in each of its own rows; its noun knows how. */
  readonly isGrouped?: true;
  /** It is a log: the write-ahead log only adds rows, and they stay as they are. There is no table of its name. */
  readonly log?: LogShape;
}

/** Where the rows of a log are stored. */
export interface LogShape {
  /** The table that has many of them in each of its rows, in the order of their numbers. */
  readonly pages: string;
  /** The column of a row that says when it was written. */
  readonly time: string;
}

/** Of values that hold no line break. A single one is the name, because a new text is slow to look up. */
export function nameOf(values: readonly Value[]): string {
  if (values.length === 1) return String(values[0] ?? "");
  let name = "";
  for (const value of values) name += `${value ?? ""}\n`;
  return name;
}

/** Where the columns are by which memory tells rows apart. */
const namedAt = new WeakMap<TableShape, readonly number[]>();

export function rowName(shape: TableShape, row: Row): string {
  let places = namedAt.get(shape);
  if (places === undefined) {
    places = shape.named.map((column) => shape.columns.indexOf(column));
    namedAt.set(shape, places);
  }
  const [only = 0] = places;
  if (places.length === 1) return String(row[only] ?? "");
  let name = "";
  for (const at of places) name += `${row[at] ?? ""}\n`;
  return name;
}

export function writeRows(sql: SqlStorage, shape: TableShape, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  const { name, columns, key, changing } = shape;
  const values = columns.map((_, index) => `row ->> ${index}`).join(", ");
  const set = changing.map((column) => `${column} = excluded.${column}`).join(", ");
  const changed = set === "" ? "" : `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${set}`;
  runInParts(rows, (json) =>
    sql.exec(
      `INSERT INTO ${name} (${columns.join(", ")}) SELECT ${values} FROM ${jsonRows()} WHERE true ${changed}`,
      json,
    ),
  );
}

export function deleteRows(sql: SqlStorage, { name, columns, key }: TableShape, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  const values = key.map((column) => `value ->> ${columns.indexOf(column)}`).join(", ");
  runInParts(rows, (json) =>
    sql.exec(`DELETE FROM ${name} WHERE (${key.join(", ")}) IN (SELECT ${values} FROM json_each(?))`, json),
  );
}
