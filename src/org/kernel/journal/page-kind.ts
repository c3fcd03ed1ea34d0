import type { IndexName } from "../id-index/entries.ts";
import type { Row, Value } from "./shape.ts";

/** How rows of a table with numbers are stored: many of them in one row of another table, in the order of their numbers. */
export interface PageKind {
  readonly table: string;
  readonly index: IndexName;
  /** An evenly distributed 32-bit number by which a row is found. Few rows share one. */
  readonly tagOf: (row: Row) => number;
  /** Columns that say of a page what is in it. */
  readonly told: readonly string[];
  readonly tell: (rows: readonly Row[]) => readonly Value[];
}
