import { toPrintable } from "./command.ts";

export interface Column {
  readonly head: string;
  readonly isNumber?: boolean;
  /** The width of a table whose rows are not known yet. */
  readonly width?: number;
}

/** Returns a row for a terminal, each cell as wide as its column. */
export function rowText(columns: readonly Column[], cells: readonly string[]): string {
  const padded = columns.map(({ width = 0, isNumber = false }, at) => {
    const cell = toPrintable(cells[at] ?? "");
    return isNumber ? cell.padStart(width) : cell.padEnd(width);
  });
  return `${padded.join("  ").trimEnd()}\n`;
}

export const headText = (columns: readonly Column[]): string =>
  rowText(
    columns,
    columns.map(({ head }) => head),
  );

/** Returns a table for a terminal, its heads first. */
export function tableText(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const sized = columns.map((column, at) => {
    const widths = rows.map((cells) => toPrintable(cells[at] ?? "").length);
    return { ...column, width: widths.reduce((most, width) => Math.max(most, width), column.head.length) };
  });
  return headText(sized) + rows.map((cells) => rowText(sized, cells)).join("");
}

/** Returns fields on one line, as `name=value`. A value that could be read as another field is quoted. */
export function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const isPlain = typeof value === "string" && /^[^\s="\\{[]+$/.test(value);
      return `${name}=${isPlain ? value : JSON.stringify(value)}`;
    })
    .join(" ");
}
