import type { ErrorCode } from "../../../contract/errors.ts";
import { Table } from "../../../storage/table.ts";
import type { Row } from "../../../storage/table.ts";

declare module "../../../storage/table.ts" {
  interface LoggedTables {
    idempotency: true;
  }
}

export type Record = {
  route: string;
  key: string;
  digest: string;
  fence: number;
  seed: string;
  reserved_at: number;
  status: number | null;
  code: ErrorCode | null;
  etag: string | null;
  sealed: string | null;
};

const KEY = ["route", "key"] as const;
const CHANGING = ["digest", "fence", "seed", "reserved_at", "status", "code", "etag", "sealed"] as const;
const COLUMNS = [...KEY, ...CHANGING];
const TABLE = new Table({
  name: "idempotency",
  columns: COLUMNS,
  key: KEY,
  named: KEY,
  changing: CHANGING,
});

export function loadRecord(sql: SqlStorage, route: string, key: string): Record | null {
  const changed = TABLE.get(sql, route, key);
  if (changed !== undefined) return changed === null ? null : fromRow(changed);
  const rows = sql.exec<Record>("SELECT * FROM idempotency WHERE route = ? AND key = ?", route, key);
  return rows.toArray()[0] ?? null;
}

/** Returns whether it is not as the table has it. */
export function hasChanged(sql: SqlStorage, route: string, key: string): boolean {
  return TABLE.get(sql, route, key) !== undefined;
}

export function saveRecord(sql: SqlStorage, record: Record): void {
  TABLE.put(sql, [COLUMNS.map((column) => record[column])]);
}

export function deleteRecord(sql: SqlStorage, route: string, key: string): void {
  const gone = { route, key };
  TABLE.delete(sql, [
    COLUMNS.map((column) => (column === "route" || column === "key" ? gone[column] : null)),
  ]);
}

function fromRow(row: Row): Record {
  return Object.fromEntries(COLUMNS.map((column, index) => [column, row[index]])) as Record;
}

/** As the table has them: some may have changed. */
export function storedBefore(sql: SqlStorage, atMs: number, most: number): { route: string; key: string }[] {
  return sql
    .exec<{ route: string; key: string }>(
      "SELECT route, key FROM idempotency WHERE reserved_at <= ? LIMIT ?",
      atMs,
      most,
    )
    .toArray();
}
