import type { ListQuery } from "../contract/list.ts";

/** A condition, with its bindings. */
export interface Bound {
  readonly sql: string;
  readonly bindings: readonly SqlStorageValue[];
}

/** A log: its rows are sorted by `seq` and written in chronological order. */
interface Log {
  readonly table: string;
  /** A condition for which an index finds the rows in the order of `seq`. */
  readonly where?: Bound;
}

/**
 * Scanning this many takes less than 0.1 s. A page that ends there is short or empty, and says where to continue. So
 * the object can decide other calls in between, even if a rare row is hidden among millions.
 */
export const ROWS_SEEN = 50_000;

/** A table that is no log: its rows are sorted by a column, then by id. */
export interface Sorted {
  readonly table: string;
  readonly where?: Bound;
  readonly column: string;
  readonly id: string;
  /** Filters by which an index finds the rows. */
  readonly found?: readonly string[];
}

/** The last row that a page with filters looks at; null if it goes to the end. */
export function lastSeen(
  sql: SqlStorage,
  { table, where, column, id, found = [] }: Sorted,
  { filters, sort }: ListQuery,
  after: Bound | null,
): {
  readonly within: Bound;
  readonly last: { readonly value: string | number; readonly id: string };
} | null {
  const names = Object.keys(filters);
  if (names.length === 0 || names.some((name) => found.includes(name))) return null;
  const [direction, compare] = sort.descending ? ["DESC", ">="] : ["ASC", "<="];
  const bounds = [where, after].filter((bound) => bound !== undefined && bound !== null);
  const [last] = sql.exec<{ value: string | number; id: string }>(
    `SELECT ${column} AS value, ${id} AS id FROM ${table} WHERE ${["true", ...bounds.map((one) => one.sql)].join(" AND ")}
     ORDER BY ${column} ${direction}, ${id} ${direction} LIMIT 1 OFFSET ?`,
    ...bounds.flatMap(({ bindings }) => bindings),
    ROWS_SEEN - 1,
  );
  if (last === undefined) return null;
  return { within: { sql: `(${column}, ${id}) ${compare} (?, ?)`, bindings: [last.value, last.id] }, last };
}

/**
 * Returns which rows of a log a filtered page scans, and the first row that it leaves to the next page. Null if it
 * scans to the end.
 */
export function scanOf(
  sql: SqlStorage,
  log: Log,
  { filters, sort, after }: ListQuery,
): { readonly within: readonly Bound[]; readonly next: number | null } {
  if (Object.keys(filters).length === 0) return { within: [], next: null };
  const [direction, compare, before] = sort.descending ? ["DESC", "<=", ">"] : ["ASC", ">=", "<"];
  const bounds = log.where === undefined ? [] : [log.where];
  if (after !== null) bounds.push({ sql: `seq ${compare} ?`, bindings: [after.value] });
  const [end] = sql.exec<{ seq: number }>(
    `SELECT seq FROM ${log.table} WHERE ${["true", ...bounds.map((one) => one.sql)].join(" AND ")}
     ORDER BY seq ${direction} LIMIT 1 OFFSET ?`,
    ...bounds.flatMap(({ bindings }) => bindings),
    ROWS_SEEN,
  );
  if (end === undefined) return { within: [], next: null };
  return { within: [{ sql: `seq ${before} ?`, bindings: [end.seq] }], next: end.seq };
}
