/** One change to the tables of an object. Published steps never change; new ones are appended to their noun. */
export interface SchemaStep {
  readonly name: string;
  readonly sql: string;
  /** What no statement can do. */
  readonly fill?: (sql: SqlStorage) => void;
}
