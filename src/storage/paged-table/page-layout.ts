import type { IndexTables } from "../key-index/stored-blocks.ts";
import type { Row, Value } from "../wal/table-shape.ts";

/** How rows of a table with numbers are stored: many of them in one row of another table, in the order of their numbers. */
export interface PageLayout {
  readonly table: string;
  readonly index: IndexTables;
  /** An evenly distributed 32-bit number by which a row is found. Few rows share one. */
  readonly keyHashOf: (row: Row) => number;
  /** Columns that say of a page what is in it. */
  readonly summary: readonly string[];
  readonly summarize: (rows: readonly Row[]) => readonly Value[];
}
