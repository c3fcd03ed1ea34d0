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
  /** The unique column that breaks ties. */
  readonly id?: string;
  toItem(row: R): object;
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
  return {
    data: page.map((row) => source.toItem(row)),
    next_cursor:
      last === undefined
        ? null
        : encodeCursor(query, {
            value: last[source.cursor?.[column] ?? column] as string | number,
            id: last[id] as string,
          }),
  };
}
