import { type Child, useContext } from "hono/jsx";
import { Filters } from "./filters.tsx";
import {
  columnNames,
  filterName,
  orderedAddress,
  orderIn,
  type PageAddress,
  PageAddressContext,
  sortKeyOf,
  type SortKey,
  sortRows,
  readContains,
  type TableOrder,
  textOf,
} from "./table-order.ts";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => Child;
  /** What the column is sorted by, if not by what it shows. */
  readonly sortBy?: (row: T) => SortKey;
  readonly kind?: "number" | "moment" | "meter" | "brief" | "actions";
}

const CLASSES = {
  number: "end number",
  moment: "nowrap",
  meter: "wide",
  brief: "brief",
  actions: "act",
} as const;

/** A table with more rows than these has a filter. */
const SHORT = 10;

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** What a row is found by beside what it shows. */
  readonly idOf?: (row: T) => string;
  /** True if its page has filters for it. */
  readonly hasFilters?: boolean;
}

/** A table, which its address can filter and sort by any column. */
export function Table<T>(props: TableProps<T>) {
  const address = useContext(PageAddressContext);
  const { label, rows, hasFilters = false } = props;
  const sought = address === null || hasFilters ? "" : readContains(address.query, label);
  if (address === null || hasFilters || (sought === "" && rows.length <= SHORT)) return <Sorted {...props} />;
  const name = filterName(label);
  const rest = new URLSearchParams(address.query);
  for (const dropped of [name, "cursor", "notice"]) rest.delete(dropped);
  const found = sought === "" ? rows : rows.filter((row) => rowText(props, row).includes(sought));
  return (
    <>
      <Filters
        path={address.path}
        of={[{ name, title: "Contains" }]}
        query={address.query}
        answer={null}
        label={`Filter ${label.toLowerCase()}`}
        keep={Object.fromEntries(rest)}
      />
      {found.length > 0 ? (
        <Sorted {...props} rows={found} />
      ) : (
        <p class="note-line">
          Nothing matches. <a href={`${address.path}?${rest}`}>Show all</a>
        </p>
      )}
    </>
  );
}

const rowText = <T,>({ columns, idOf }: TableProps<T>, row: T): string =>
  [...columns.map(({ cell }) => textOf(cell(row))), idOf?.(row) ?? ""].join("\n").toLowerCase();

/**
 * On a narrow screen each row becomes a block with the column titles inside, so that nobody has to scroll sideways. The roles
 * are explicit, because browsers drop them when cells are laid out as blocks.
 */
function Sorted<T>(props: TableProps<T>) {
  const { label, columns } = props;
  const address = useContext(PageAddressContext);
  const order = address === null ? null : orderIn(address.query, label);
  const names = columnNames(columns.map(({ title }) => title));
  const by = order === null ? undefined : columns[names.indexOf(order.column)];
  const keyOf = by?.sortBy ?? ((row: T) => sortKeyOf(textOf(by?.cell(row))));
  const rows = order === null || by === undefined ? props.rows : sortRows(props.rows, keyOf, order);
  const isSortable = address !== null && (rows.length > 1 || by !== undefined);
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={label}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column, at) => (
              <Heading
                label={label}
                column={column}
                name={names[at] ?? ""}
                address={isSortable ? address : null}
                order={column === by ? order : null}
              />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row">
              {columns.map(({ title, kind, cell }) => (
                <td role="cell" class={kind ? CLASSES[kind] : ""} data-title={title}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Leads to the table in the order of the column: numbers and moments from the top, names from the first. */
function Heading<T>(props: {
  readonly label: string;
  readonly column: Column<T>;
  /** The column in addresses. */
  readonly name: string;
  readonly address: PageAddress | null;
  /** If the table is sorted by this column. */
  readonly order: TableOrder | null;
}) {
  const { address, order } = props;
  const { title, kind } = props.column;
  const isFalling = kind === "number" || kind === "moment" || kind === "meter";
  const next = {
    column: props.name,
    isDescending: order === null ? isFalling : !order.isDescending,
  };
  const sorted = order === null ? {} : { "aria-sort": order.isDescending ? "descending" : "ascending" };
  return (
    <th scope="col" role="columnheader" class={kind ? CLASSES[kind] : ""} {...sorted}>
      {kind === "actions" ? (
        <span class="hidden">{title}</span>
      ) : address === null ? (
        title
      ) : (
        <a href={orderedAddress(address, props.label, next)}>{title}</a>
      )}
    </th>
  );
}
