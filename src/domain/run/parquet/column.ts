import type { ColumnSource } from "hyparquet-writer";
import type { SchemaElement } from "hyparquet";

/** The kinds of column, each with the value that a row has in it. */
interface Values {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly moment: number;
  readonly count: number;
  readonly flag: boolean;
  /** Nano-dollars. */
  readonly usd: bigint;
}
type ValueKind = keyof Values;

/** A column of a Parquet file: its name, and what a row has in it. */
export type Column<Row> = {
  readonly [Name in ValueKind]: {
    readonly name: string;
    readonly kind: Name;
    readonly of: (row: Row) => Values[Name] | null;
  };
}[ValueKind];

export type Cell = Values[ValueKind] | null;

const USD_DIGITS = 38;
export const USD_DECIMALS = 9;
const USD_BYTES = 16;

const TYPES: Readonly<Record<ValueKind, Omit<SchemaElement, "name">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  moment: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  count: { type: "INT64" },
  flag: { type: "BOOLEAN" },
  usd: {
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: USD_BYTES,
    converted_type: "DECIMAL",
    precision: USD_DIGITS,
    scale: USD_DECIMALS,
    logical_type: { type: "DECIMAL", precision: USD_DIGITS, scale: USD_DECIMALS },
  },
};

export function schemaOf(columns: readonly Pick<Column<never>, "name" | "kind">[]): SchemaElement[] {
  return [
    { name: "root", num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: "OPTIONAL" as const, ...TYPES[kind] })),
  ];
}

/** Cells of one column as they are written. */
export function sourceOf({ name, kind }: Pick<Column<never>, "name" | "kind">, cells: Cell[]): ColumnSource {
  if (kind === "text") return { name, data: inByteOrder(cells) };
  if (kind === "moment") return { name, data: cells.map(bigintOf), encoding: "DELTA_BINARY_PACKED" };
  return { name, data: kind === "count" ? cells.map(bigintOf) : cells };
}

function bigintOf(cell: Cell): bigint | null {
  return cell === null ? null : BigInt(cell);
}

const SURROGATE = /[\uD800-\uDFFF]/;
const encoder = new TextEncoder();

/**
 * The writer finds the smallest and largest text by UTF-16, and readers skip groups of rows by UTF-8. The two orders
 * differ for characters beyond the first 65,536, so texts with such characters are passed on as bytes.
 */
function inByteOrder(cells: Cell[]): (Cell | Uint8Array)[] {
  if (!cells.some((cell) => typeof cell === "string" && SURROGATE.test(cell))) return cells;
  return cells.map((cell) => (typeof cell === "string" ? encoder.encode(cell) : cell));
}
