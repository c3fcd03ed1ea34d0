import { createContext } from "hono/jsx";
import { html } from "hono/html";
import type { Child } from "hono/jsx";

/** The address of the page that is drawn. Null: it is the answer to a form, whose tables have no address. */
export interface PageAddress {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Tables make links to their own page from it, to be sorted by a column. */
export const PageAddressContext = createContext<PageAddress | null>(null);

/** An answer to a form has no address to return to. */
export function addressOf({ url, method }: Request): PageAddress | null {
  const { pathname, searchParams } = new URL(url);
  return method === "GET" ? { path: pathname, query: searchParams } : null;
}

/** Which column a table is sorted by. */
export interface TableOrder {
  readonly column: string;
  readonly isDescending: boolean;
}

export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

/** The order that an address asks of a table: `order=-budgets.spent`. Null: as it comes. */
export function orderIn(query: URLSearchParams, label: string): TableOrder | null {
  const [, minus, table, column] = /^(-?)([a-z0-9-]+)\.([a-z0-9-]+)$/.exec(query.get("order") ?? "") ?? [];
  if (table !== slugOf(label) || column === undefined) return null;
  return { column, isDescending: minus === "-" };
}

/** The parameter by which an address filters a table: `budgets.contains=acme`. */
export const filterName = (label: string): string => `${slugOf(label)}.contains`;

/** What an address looks for in a table, in lower case. Empty: all of it. */
export const readContains = (query: URLSearchParams, label: string): string =>
  query.get(filterName(label))?.trim().toLowerCase() ?? "";

/** The path of a list. A table that is sorted or filtered is read as a whole: as many rows as one call returns. */
export function pathFor(path: string, query: URLSearchParams, label: string): string {
  const isAsItComes = orderIn(query, label) === null && readContains(query, label) === "";
  return isAsItComes ? path : path.replace("limit=50", "limit=200");
}

/** The names of columns in addresses. A title without letters, or that another column has, is named by its place. */
export function columnNames(titles: readonly string[]): readonly string[] {
  const names = titles.map(slugOf);
  return names.map((name, at) => (name !== "" && names.indexOf(name) === at ? name : `column-${at + 1}`));
}

export function orderedAddress({ path, query }: PageAddress, label: string, order: TableOrder): string {
  const changed = new URLSearchParams(query);
  changed.delete("notice");
  changed.set("order", `${order.isDescending ? "-" : ""}${slugOf(label)}.${order.column}`);
  return `${path}?${changed}`;
}

/** What a reader sees in a cell, in one line. */
export function textOf(cell: Child): string {
  const drawn = [html`${cell}` as string].join("");
  return drawn
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(lt|gt|amp|quot|#39);/g, (_whole, name: string) => MARKS[name] ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

const MARKS: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };

/** What stands where there is nothing. */
const NOTHING = /^(–|none|never|not named)?$/i;
const AMOUNT = /^(-?)(<?)\$?([\d,]+(?:\.\d+)?)(?=\s|$)/;
const MOMENT = /^(\d{1,2} [A-Z][a-z]{2} \d{4}),? (\d\d:\d\d) UTC/;

/** What rows are compared by. Null comes last in both orders. */
export type SortKey = number | string | null;

/** Amounts, counts, shares and moments are compared as numbers, all else as text. Null: nothing stands there. */
export function sortKeyOf(text: string): SortKey {
  if (NOTHING.test(text)) return null;
  const moment = MOMENT.exec(text);
  if (moment !== null) return Date.parse(`${moment[1]} ${moment[2]} UTC`);
  const [, sign, less, digits] = AMOUNT.exec(text) ?? [];
  if (digits === undefined) return text.toLowerCase();
  const amount = Number(digits.replaceAll(",", "")) * (less === "<" ? 0.999 : 1);
  return sign === "-" ? -amount : amount;
}

function compare(one: number | string, other: number | string): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return String(one).localeCompare(String(other), "en");
}

/** Equal rows stay as they were. */
export function sortRows<T>(
  rows: readonly T[],
  keyOf: (row: T) => SortKey,
  { isDescending }: Pick<TableOrder, "isDescending">,
): readonly T[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  return keyed
    .toSorted((one, other) => {
      if (one.key === null || other.key === null)
        return Number(one.key === null) - Number(other.key === null);
      return isDescending ? compare(other.key, one.key) : compare(one.key, other.key);
    })
    .map(({ row }) => row);
}
