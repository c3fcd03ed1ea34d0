import type { LoggedTables } from "./table.ts";

/** The name of a table that is not one of the write-ahead log. */
type PlainTable<Table extends string> = Table extends keyof LoggedTables ? never : Table;

/** Its fields are the table's columns. */
type RowOf = Readonly<Record<string, SqlStorageValue | Uint8Array>>;

/** Adds a row. */
export function insertRow<Table extends string>(sql: SqlStorage, table: PlainTable<Table>, row: RowOf): void {
  write(sql, `INSERT INTO ${table}`, row);
}

/** Writes a row, in place of the one with the same primary key. */
export function saveRow<Table extends string>(sql: SqlStorage, table: PlainTable<Table>, row: RowOf): void {
  write(sql, `INSERT OR REPLACE INTO ${table}`, row);
}

function write(sql: SqlStorage, statement: string, row: RowOf): void {
  const columns = Object.keys(row).map((name) => `"${name}"`);
  sql.exec(
    `${statement} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
}

export function countRows<Table extends string>(sql: SqlStorage, table: PlainTable<Table>): number {
  return sql.exec<{ rows: number }>(`SELECT COUNT(*) AS "rows" FROM ${table}`).one().rows;
}
