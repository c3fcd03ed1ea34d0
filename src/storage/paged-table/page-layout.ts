import type { IndexTables } from "../key-index/stored-blocks.ts";
import type { Row, Value } from "../wal/table-shape.ts";

/** How rows of a table with numbers are stored: many of them in one row of another table, in the order of their numbers. */
export interface PageLayout {
  readonly table: string;
  /** Columns that say of a page what is in it, so that many pages need not be read. */
  readonly summary: readonly string[];
  readonly summarize: (rows: readonly Row[]) => readonly Value[];
  /** None: rows are only appended, found by their numbers, and never read from memory. */
  readonly key?: PageKey;
}

/** The key by which rows are found that have no number yet. */
interface PageKey {
  readonly index: IndexTables;
  /** An evenly distributed 32-bit number. Few rows share one. */
  readonly hashOf: (row: Row) => number;
  /** A page gets no more rows than this, so that a change of one writes few others. */
  readonly mostRows: number;
}
