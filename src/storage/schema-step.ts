/**
 * One change to the tables of an object. Published steps never change: `test/contract/schema-steps.json` has a digest
 * of each, and `npm run freeze` adds new ones.
 */
export interface SchemaStep {
  readonly name: string;
  readonly sql?: string;
  /** Does what no statement can. */
  readonly fill?: (sql: SqlStorage) => void;
}
