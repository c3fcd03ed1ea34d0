import { type Child, useContext } from "hono/jsx";
import {
  orderedAddress,
  orderIn,
  type PageAddress,
  PageAddressContext,
  slugOf,
  sortRows,
  type TableOrder,
} from "./table-order.ts";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => Child;
  readonly kind?: "number" | "moment" | "meter" | "brief" | "actions";
}

const CLASSES = {
  number: "end number",
  moment: "nowrap",
  meter: "wide",
  brief: "brief",
  actions: "act",
} as const;

/**
 * A table, which its address can sort by any column. On a narrow screen each row becomes a block with the column titles inside,
 * so that nobody has to scroll sideways. The roles are explicit, because browsers drop them when cells are laid out as blocks.
 */
export function Table<T>(props: {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
}) {
  const { label, columns } = props;
  const address = useContext(PageAddressContext);
  const order = address === null ? null : orderIn(address.query, label);
  const by = columns.find(({ title }) => order?.column === slugOf(title));
  const rows = order === null || by === undefined ? props.rows : sortRows(props.rows, by.cell, order);
  const isSortable = address !== null && (rows.length > 1 || by !== undefined);
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={label}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Heading
                label={label}
                column={column}
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
  readonly address: PageAddress | null;
  /** If the table is sorted by this column. */
  readonly order: TableOrder | null;
}) {
  const { address, order } = props;
  const { title, kind } = props.column;
  const isFalling = kind === "number" || kind === "moment" || kind === "meter";
  const next = {
    column: slugOf(title),
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
