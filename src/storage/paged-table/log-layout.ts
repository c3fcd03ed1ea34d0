import type { LoggedTables } from "../table.ts";

/** A row of a log, by its columns. */
export type LogRow = { readonly seq: number };

/** What a log is made of. The first column is `seq`. */
export interface LogLayout {
  readonly name: keyof LoggedTables;
  readonly columns: readonly string[];
  /** By which the write-ahead log tells rows apart. */
  readonly named: string;
  /** The write-ahead log numbers its rows. */
  readonly isNumbered?: true;
  readonly pages: string;
  readonly time: string;
}
