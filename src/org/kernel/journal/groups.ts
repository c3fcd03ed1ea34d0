import type { Row } from "./shape.ts";

/** Writes rows of a table that has many of them in each of its own, and takes out those that are deleted. */
export type Grouped = (sql: SqlStorage, written: readonly Row[], deleted: readonly Row[]) => void;

const GROUPED = new Map<string, Grouped>();

export function addGroups(table: string, store: Grouped): void {
  GROUPED.set(table, store);
}

export function groupsOf(table: string): Grouped {
  const store = GROUPED.get(table);
  if (store === undefined) throw new Error(`${table} has no groups`);
  return store;
}
