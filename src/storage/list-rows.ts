import { readRows } from "./read-rows.ts";
import { encodeCursor, type ListQuery, type Page } from "../contract/list.ts";
import type { LoggedTables } from "./table.ts";
import { matchRank } from "../domain/text/match-rank.ts";
import { type Bound, lastSeen, scanOf } from "./scan-bounds.ts";

export interface ListSource<R, Item, Table extends string> {
  /** The table. It is not one of the write-ahead log, unless a checkpoint was made for it. */
  readonly table: Table extends keyof LoggedTables
    ? `${Table} is in the write-ahead log: use listLog`
    : Table;
  readonly columns?: string;
  /** Sort field, as callers name it → column. Every sortable column is NOT NULL. */
  readonly sort: Readonly<Record<string, string>>;
  /** Filter, as callers name it → SQL condition. Each `?` is the filter's value. */
  readonly filters?: Readonly<Record<string, string>>;
  /** Where the filter `contains` looks. */
  readonly searched?: Searched<R>;
  /** A condition that always holds, with its bindings. */
  readonly where?: Bound;
  /** The unique column that breaks ties. */
  readonly id?: string;
  /** Filters by which an index finds the rows: all of them are looked at. */
  readonly found?: readonly string[];
  /** The table is a log, which may have millions of rows. */
  readonly isLog?: true;
  /** Null if the row has nothing to show: it is left out. A row that throws would end the whole list. */
  toItem(row: R): Item | null;
}

/** The text of a row, by the columns that it is made of. No other column is read of rows that are not found. */
interface Searched<R> {
  readonly columns: readonly (keyof R & string)[];
  textOf(row: R): string;
}

/** Names what a list is searched by. `textOf` gets these columns alone. */
export function searchedIn<R extends Record<string, SqlStorageValue>, const Column extends keyof R & string>(
  columns: readonly Column[],
  textOf: (row: Pick<R, Column>) => string,
): Searched<R> {
  return { columns, textOf };
}

function filtered(filters: Readonly<Record<string, string>>, name: string, value: SqlStorageValue): Bound {
  const sql = filters[name];
  if (sql === undefined) throw new Error(`no condition for filter ${name}`);
  return { sql, bindings: Array<SqlStorageValue>(sql.split("?").length - 1).fill(value) };
}

/** A search looks at this many rows at most. */
const MOST_SEARCHED = 10_000;

/** A page of a list or, with the filter `contains`, the best matches. */
export function listRows<R extends Record<string, SqlStorageValue>, Item, const Table extends string>(
  sql: SqlStorage,
  source: ListSource<R, Item, Table>,
  query: ListQuery,
): Page<Item> {
  const { contains, ...filters } = query.filters;
  const { searched } = source;
  if (contains === undefined || searched === undefined) return readPage(sql, source, query);
  const id = source.id ?? "id";
  const columns = [...new Set([id, source.sort[query.sort.field], ...searched.columns])].join(", ");
  const toRanked = (row: R) => ({ id: row[id] ?? null, rank: matchRank(searched.textOf(row), contains) });
  const ask = { ...query, filters, limit: MOST_SEARCHED };
  const { data } = readPage(sql, { ...source, columns, toItem: toRanked }, ask);
  const found = data.flatMap((one) => (one.rank === null ? [] : [{ ...one, rank: one.rank }]));
  const best = found.toSorted((one, other) => one.rank - other.rank).slice(0, query.limit);
  const whole = `SELECT ${source.columns ?? "*"} FROM ${source.table} WHERE ${id} = ?`;
  const rows = best.flatMap((one) => sql.exec<R>(whole, one.id).toArray());
  return { data: itemsOf(source, rows), next_cursor: null };
}

function itemsOf<R, Item, const Table extends string>(
  source: ListSource<R, Item, Table>,
  rows: readonly R[],
): Item[] {
  return rows.map((row) => source.toItem(row)).filter((item) => item !== null);
}

/**
 * One page by keyset: the rows after the last one seen, in a total order. Rows inserted in between cause no repeats and
 * no gaps.
 */
function readPage<R extends Record<string, SqlStorageValue>, Item, const Table extends string>(
  sql: SqlStorage,
  source: ListSource<R, Item, Table>,
  query: ListQuery,
): Page<Item> {
  const id = source.id ?? "id";
  const column = source.sort[query.sort.field];
  if (column === undefined) throw new Error(`no sort column for ${query.sort.field}`);
  const [direction, compare] = query.sort.descending ? ["DESC", "<"] : ["ASC", ">"];
  const bounds: Bound[] = source.where === undefined ? [] : [source.where];
  for (const [name, value] of Object.entries(query.filters))
    bounds.push(filtered(source.filters ?? {}, name, value));
  const { after } = query;
  const beyond = `${column} ${compare}= ? AND (${column} ${compare} ? OR ${id} ${compare} ?)`;
  const rest = after === null ? null : { sql: beyond, bindings: [after.value, after.value, after.id] };
  if (rest !== null) bounds.push(rest);
  const scan = source.isLog === true ? scanOf(sql, source, query) : null;
  const seen = source.isLog === true ? null : lastSeen(sql, { ...source, column, id }, query, rest);
  bounds.push(...(scan?.within ?? []), ...(seen === null ? [] : [seen.within]));
  const where = bounds.length === 0 ? "" : `WHERE ${bounds.map((one) => one.sql).join(" AND ")}`;
  const order = [...new Set([column, id])].map((name) => `${name} ${direction}`).join(", ");
  const found = sql.exec<R>(
    `SELECT ${source.columns ?? "*"} FROM ${source.table} ${where} ORDER BY ${order} LIMIT ?`,
    ...bounds.flatMap(({ bindings }) => bindings),
    query.limit + 1,
  );
  const rows = [...readRows(found)];
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  let next = last === undefined ? null : { value: last[column] as string | number, id: last[id] as string };
  next ??= seen?.last ?? null;
  // Ids are printable, so every one sorts after the empty text and before this one.
  if (next === null && scan !== null && scan.next !== null) {
    next = { value: scan.next, id: query.sort.descending ? "\u007f" : "" };
  }
  return {
    data: itemsOf(source, page),
    next_cursor: next === null ? null : encodeCursor(query, next),
  };
}
