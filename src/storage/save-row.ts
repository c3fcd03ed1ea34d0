import type { LoggedTables } from "./table.ts";

/** Writes a row, in place of the one with the same primary key. Its fields are the table's columns. */
export function saveRow<Table extends string>(
  sql: SqlStorage,
  /** The table. It is not one of the write-ahead log. */
  table: Table extends keyof LoggedTables ? never : Table,
  row: Readonly<Record<string, SqlStorageValue>>,
): void {
  const names = Object.keys(row);
  sql.exec(
    `INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ...Object.values(row),
  );
}
