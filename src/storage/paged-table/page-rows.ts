import type { PageLayout } from "./page-layout.ts";
import type { Value } from "../wal/table-shape.ts";

/** A page as its row has it. The values of its summary are in the order of its layout's columns. */
export interface PageRow {
  readonly first: number;
  readonly last: number;
  readonly summary: readonly Value[];
  readonly body: string;
}

/** The first page that a condition finds. */
export function readPage(
  sql: SqlStorage,
  { table, summary }: PageLayout,
  condition: string,
  ...bound: readonly number[]
): PageRow | null {
  const columns = ["first", "last", ...summary, "body"].join(", ");
  const [row] = sql.exec(`SELECT ${columns} FROM ${table} WHERE ${condition} LIMIT 1`, ...bound).raw();
  if (row === undefined) return null;
  const [first, last, ...rest] = row as (string | number | null)[];
  return { first: Number(first), last: Number(last), summary: rest.slice(0, -1), body: String(rest.at(-1)) };
}

/** A page that is there is changed only in what is different, because each index of a changed column is written, too. */
export function writePage(
  sql: SqlStorage,
  { table, summary }: PageLayout,
  page: PageRow,
  before: Pick<PageRow, "last" | "summary"> | null,
): void {
  const values: [column: string, value: Value][] = [["last", page.last]];
  for (const [at, column] of summary.entries()) values.push([column, page.summary[at] ?? null]);
  const old: readonly (Value | undefined)[] = before === null ? [] : [before.last, ...before.summary];
  const changed = values.filter(([, value], at) => before === null || value !== old[at]);
  changed.push(["body", page.body]);
  const columns = changed.map(([column]) => column);
  const bound = changed.map(([, value]) => value);
  if (before === null) {
    const places = columns.map(() => "?").join(", ");
    sql.exec(
      `INSERT INTO ${table} (${columns.join(", ")}, first) VALUES (${places}, ?)`,
      ...bound,
      page.first,
    );
  } else {
    const set = columns.map((column) => `${column} = ?`).join(", ");
    sql.exec(`UPDATE ${table} SET ${set} WHERE first = ?`, ...bound, page.first);
  }
}

export function deletePage(sql: SqlStorage, { table }: PageLayout, first: number): void {
  sql.exec(`DELETE FROM ${table} WHERE first = ?`, first);
}

/** The highest number that a row of a page has or had. */
export function lastNumber(sql: SqlStorage, { table }: PageLayout): number {
  const rows = sql.exec<{ last: number }>(`SELECT last FROM ${table} ORDER BY first DESC LIMIT 1`);
  return rows.toArray()[0]?.last ?? 0;
}

/** Null if there is no page. */
export function firstNumber(sql: SqlStorage, { table }: PageLayout): number | null {
  return sql.exec<{ first: number | null }>(`SELECT MIN(first) AS first FROM ${table}`).one().first;
}
