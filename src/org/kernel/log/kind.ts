/** A row of a log, by its columns. */
export type LogRow = { readonly seq: number };

/** What a log is made of. The first column is `seq`. */
export interface LogKind {
  readonly name: string;
  readonly columns: readonly string[];
  /** By which the journal tells rows apart. */
  readonly named: string;
  /** The journal numbers its rows. */
  readonly isNumbered?: true;
  readonly pages: string;
  readonly time: string;
}
