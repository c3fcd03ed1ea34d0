import type { Row } from "./table-shape.ts";

/** Where a table's rows are, once a checkpoint has written them. */
export interface RowStore {
  /** The highest number that a stored row has or had. None where rows have no numbers. */
  readonly last?: number;
  /** An evenly distributed 32-bit number by which the memtable finds rows, too. Few rows share one. */
  readonly keyHashOf?: ((row: Row) => number) | undefined;
  /** Stores new and changed rows, and takes out those that are deleted. */
  change(written: readonly Row[], deleted: readonly Row[]): void;
  /** A transaction was rolled back: what memory keeps of the store is compared, or, where that changed it, read again. */
  rollBack?(isChanged: boolean): void;
}

export type OpenStore = (sql: SqlStorage) => RowStore;
