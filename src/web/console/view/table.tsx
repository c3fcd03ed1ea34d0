import type { Child } from "hono/jsx";

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
 * A table. On a narrow screen each row becomes a block with the column titles inside, so that nobody has to scroll
 * sideways. The roles are explicit, because browsers drop them when cells are laid out as blocks.
 */
export function Table<T>(props: {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
}) {
  const { columns } = props;
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={props.label}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, kind }) => (
              <th scope="col" role="columnheader" class={kind ? CLASSES[kind] : ""}>
                {kind === "actions" ? <span class="hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {props.rows.map((row) => (
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
