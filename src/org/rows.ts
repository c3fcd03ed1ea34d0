import { encodeCursor, type ListQuery, type Page } from "../contract/list.ts";

interface ListSource<R> {
  readonly table: string;
  readonly columns?: string;
  /** Sort field, as callers name it → column. Every sortable column is NOT NULL. */
  readonly sort: Readonly<Record<string, string>>;
  /** Filter, as callers name it → SQL condition with one `?`. */
  readonly filters?: Readonly<Record<string, string>>;
  /** A condition that always holds, with its bindings. */
  readonly where?: { readonly sql: string; readonly bindings: readonly SqlStorageValue[] };
  /** Sort column → column with its value for the cursor, where the runtime cannot hand it over exactly. */
  readonly cursor?: Readonly<Record<string, string>>;
  /** For filters that no index knows. */
  readonly scan?: ScanBound;
  /** The unique column that breaks ties. */
  readonly id?: string;
  toItem(row: R): object;
}

/**
 * How many rows of a sort column's index a page may look at. A page that ends there is short, or empty, and says where to
 * go on: the object decides for others meanwhile, however long it takes to find a rare row among millions.
 */
interface ScanBound {
  readonly rows: number;
  readonly column: string;
  /** Filters on that column itself. */
  readonly within: readonly string[];
  /** Filters that have an index of their own: no bound is needed with one of them. */
  readonly indexed: readonly string[];
}

/** The first value of the sort column that the page leaves to the next; null: it goes to the end. */
function scanEnd<R>(
  sql: SqlStorage,
  { table, filters = {}, scan }: ListSource<R>,
  column: string,
  query: ListQuery,
): SqlStorageValue {
  const asked = Object.keys(query.filters);
  if (scan?.column !== column || asked.some((name) => scan.indexed.includes(name))) return null;
  if (asked.every((name) => scan.within.includes(name))) return null;
  const within = Object.entries(query.filters).filter(([name]) => scan.within.includes(name));
  const [compare, direction] = query.sort.descending ? ["<", "DESC"] : [">", "ASC"];
  const conditions = ["true", ...within.map(([name]) => filters[name])];
  if (query.after !== null) conditions.push(`${column} ${compare}= ?`);
  const end = sql
    .exec<{ at: SqlStorageValue }>(
      `SELECT ${column} AS at FROM ${table} WHERE ${conditions.join(" AND ")}
       ORDER BY ${column} ${direction} LIMIT 1 OFFSET ?`,
      ...within.map(([, value]) => value),
      ...(query.after === null ? [] : [query.after.value]),
      scan.rows,
    )
    .toArray()[0]?.at;
  // More rows than that with one value are looked at together: a page must come further than the one before.
  return end === undefined || end === query.after?.value ? null : end;
}

/**
 * One page by keyset: the rows after the last one seen, in a total order. Rows inserted meanwhile neither repeat nor
 * push out what the caller has yet to see.
 */
export function listRows<R extends Record<string, SqlStorageValue>>(
  sql: SqlStorage,
  source: ListSource<R>,
  query: ListQuery,
): Page<object> {
  const id = source.id ?? "id";
  const column = source.sort[query.sort.field];
  if (column === undefined) throw new Error(`no sort column for ${query.sort.field}`);
  const conditions: string[] = [];
  const bindings: SqlStorageValue[] = [];
  if (source.where !== undefined) {
    conditions.push(source.where.sql);
    bindings.push(...source.where.bindings);
  }
  for (const [name, value] of Object.entries(query.filters)) {
    const condition = source.filters?.[name];
    if (condition === undefined) throw new Error(`no condition for filter ${name}`);
    conditions.push(condition);
    bindings.push(value);
  }
  const [compare, direction] = query.sort.descending ? ["<", "DESC"] : [">", "ASC"];
  if (query.after !== null) {
    // The first half lets the index begin at the page, however far down it is.
    conditions.push(`${column} ${compare}= ? AND (${column} ${compare} ? OR ${id} ${compare} ?)`);
    bindings.push(query.after.value, query.after.value, query.after.id);
  }
  const end = scanEnd(sql, source, column, query);
  if (end !== null) {
    conditions.push(`${column} ${query.sort.descending ? ">" : "<"} ?`);
    bindings.push(end);
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const rows = sql
    .exec<R>(
      `SELECT ${source.columns ?? "*"} FROM ${source.table} ${where}
       ORDER BY ${column} ${direction}, ${id} ${direction} LIMIT ?`,
      ...bindings,
      query.limit + 1,
    )
    .toArray();
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  let next: { value: string | number; id: string } | null = null;
  if (last !== undefined) {
    const value = last[source.cursor?.[column] ?? column] as string | number;
    next = { value, id: last[id] as string };
  } else if (end !== null) {
    // Ids are printable: every one is beyond the empty text and before this one.
    next = { value: end as string | number, id: query.sort.descending ? "\u007f" : "" };
  }
  return {
    data: page.map((row) => source.toItem(row)),
    next_cursor: next === null ? null : encodeCursor(query, next),
  };
}
