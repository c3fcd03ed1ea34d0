import { encodeCursor, type ListQuery, type Page } from "../../contract/list.ts";

interface ListSource<R, Item> {
  readonly table: string;
  readonly columns?: string;
  /** Sort field, as callers name it → column. Every sortable column is NOT NULL. */
  readonly sort: Readonly<Record<string, string>>;
  /** Sort column → how many of its values lie together, in no order of their own, in its index `column / so many`. */
  readonly coarse?: Readonly<Record<string, number>>;
  /** Filter, as callers name it → SQL condition; each `?` of it is the filter's value. */
  readonly filters?: Readonly<Record<string, string>>;
  /** A condition that always holds, with its bindings. */
  readonly where?: Bound;
  /** Sort column → column with its value for the cursor, where the runtime cannot hand it over exactly. */
  readonly cursor?: Readonly<Record<string, string>>;
  /** For filters that no index knows. */
  readonly scan?: ScanBound;
  /** A page ends before it gets larger than `most`, but has one row at least. */
  readonly size?: { readonly most: number; of(row: R): number };
  /** The unique column that breaks ties. */
  readonly id?: string;
  toItem(row: R): Item;
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

interface Bound {
  readonly sql: string;
  readonly bindings: readonly SqlStorageValue[];
}

function filtered<R, Item>(
  { filters = {} }: ListSource<R, Item>,
  name: string,
  value: SqlStorageValue,
): Bound {
  const sql = filters[name];
  if (sql === undefined) throw new Error(`no condition for filter ${name}`);
  return { sql, bindings: Array<SqlStorageValue>(sql.split("?").length - 1).fill(value) };
}

/** How a page is sorted, and from where on the index is read. */
class Order {
  readonly column: string;
  readonly compare: "<" | ">";
  readonly #step: number | undefined;
  readonly #direction: "ASC" | "DESC";

  constructor(column: string, step: number | undefined, descending: boolean) {
    this.column = column;
    this.#step = step;
    this.compare = descending ? "<" : ">";
    this.#direction = descending ? "DESC" : "ASC";
  }

  by(...columns: readonly string[]): string {
    return [...new Set([this.indexed, ...columns])].map((name) => `${name} ${this.#direction}`).join(", ");
  }

  /** What the index is made of. */
  get indexed(): string {
    return this.#step === undefined ? this.column : `${this.column} / ${this.#step}`;
  }

  /** Without a condition on it, an index that knows but a part of the order would not be used. */
  anywhere(): Bound[] {
    if (this.#step === undefined) return [];
    return [{ sql: `${this.indexed} > ${Number.MIN_SAFE_INTEGER}`, bindings: [] }];
  }

  /** Lets the index begin at a value, however far down it is. */
  from(value: SqlStorageValue): Bound {
    if (this.#step === undefined) return { sql: `${this.column} ${this.compare}= ?`, bindings: [value] };
    const sql = `${this.indexed} ${this.compare}= CAST(? AS INTEGER) / ${this.#step} AND ${this.column} ${this.compare}= ?`;
    return { sql, bindings: [value, value] };
  }

  /** The first value, in this order, of those that lie where the index says so. */
  firstOf(indexed: SqlStorageValue): SqlStorageValue {
    const step = this.#step;
    if (step === undefined || typeof indexed !== "number") return indexed;
    if (this.compare === "<") return indexed * step + (indexed < 0 ? 0 : step - 1);
    return indexed * step - (indexed > 0 ? 0 : step - 1);
  }

  /** Whether one value comes after another. */
  isBeyond(value: SqlStorageValue, other: SqlStorageValue): boolean {
    if (value === null || other === null) return false;
    return this.compare === "<" ? value < other : value > other;
  }
}

/** The first value of the sort column that the page leaves to the next; null: it goes to the end. */
function scanEnd<R, Item>(
  sql: SqlStorage,
  source: ListSource<R, Item>,
  order: Order,
  { filters, after }: ListQuery,
): SqlStorageValue {
  const { table, scan } = source;
  const asked = Object.entries(filters);
  if (scan?.column !== order.column || asked.some(([name]) => scan.indexed.includes(name))) return null;
  const within = asked.filter(([name]) => scan.within.includes(name));
  if (within.length === asked.length) return null;
  const bounds = within.map(([name, value]) => filtered(source, name, value));
  if (after !== null) bounds.push(order.from(after.value));
  const end = sql
    .exec<{ at: SqlStorageValue }>(
      `SELECT ${order.indexed} AS at FROM ${table} WHERE ${["true", ...bounds.map((one) => one.sql)].join(" AND ")}
       ORDER BY ${order.by()} LIMIT 1 OFFSET ?`,
      ...bounds.flatMap(({ bindings }) => bindings),
      scan.rows,
    )
    .toArray()[0]?.at;
  if (end === undefined) return null;
  const first = order.firstOf(end);
  // More rows than that in one place are looked at together: a page must come further than the one before.
  return after === null || order.isBeyond(first, after.value) ? first : null;
}

/** The rows of one page, read one by one: of those that follow it, no more than one is ever in memory. */
function firstOf<R>(
  rows: Iterable<R>,
  limit: number,
  bound: ListSource<R, unknown>["size"],
): { readonly page: R[]; readonly isLast: boolean } {
  const page: R[] = [];
  let size = 0;
  for (const row of rows) {
    size += bound?.of(row) ?? 0;
    const isFull = page.length === limit || (bound !== undefined && size > bound.most && page.length > 0);
    if (isFull) return { page, isLast: false };
    page.push(row);
  }
  return { page, isLast: true };
}

/**
 * One page by keyset: the rows after the last one seen, in a total order. Rows inserted meanwhile neither repeat nor
 * push out what the caller has yet to see.
 */
export function listRows<R extends Record<string, SqlStorageValue>, Item>(
  sql: SqlStorage,
  source: ListSource<R, Item>,
  query: ListQuery,
): Page<Item> {
  const id = source.id ?? "id";
  const column = source.sort[query.sort.field];
  if (column === undefined) throw new Error(`no sort column for ${query.sort.field}`);
  const order = new Order(column, source.coarse?.[column], query.sort.descending);
  const bounds = order.anywhere();
  if (source.where !== undefined) bounds.push(source.where);
  for (const [name, value] of Object.entries(query.filters)) bounds.push(filtered(source, name, value));
  const { after } = query;
  if (after !== null) {
    const beyond = `(${column} ${order.compare} ? OR ${id} ${order.compare} ?)`;
    bounds.push(order.from(after.value), { sql: beyond, bindings: [after.value, after.id] });
  }
  const end = scanEnd(sql, source, order, query);
  if (end !== null) {
    bounds.push({ sql: `${column} ${query.sort.descending ? ">" : "<"} ?`, bindings: [end] });
  }
  const where = bounds.length === 0 ? "" : `WHERE ${bounds.map((one) => one.sql).join(" AND ")}`;
  const rows = sql.exec<R>(
    `SELECT ${source.columns ?? "*"} FROM ${source.table} ${where} ORDER BY ${order.by(column, id)} LIMIT ?`,
    ...bounds.flatMap(({ bindings }) => bindings),
    query.limit + 1,
  );
  const { page, isLast } = firstOf(rows, query.limit, source.size);
  const last = isLast ? undefined : page.at(-1);
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
