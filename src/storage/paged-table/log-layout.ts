import type { LoggedTables } from "../table.ts";

/** A row of a log, by its columns. */
export type LogRow = { readonly seq: number };

/** The columns of a log, of which the first is `seq`. */
export interface LogLayout {
  readonly name: keyof LoggedTables;
  readonly columns: readonly string[];
  /** The columns by which the write-ahead log tells rows apart. */
  readonly named: string;
  /** The write-ahead log numbers its rows. */
  readonly isNumbered?: true;
  readonly pages: string;
  readonly time: string;
}
