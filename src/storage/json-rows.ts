import { readRows } from "./read-rows.ts";

/**
 * The elements of a JSON array that is bound to a parameter, each as `row`. The offset keeps `row` a value. Without it
 * the element would be serialized again for each column.
 */
export function jsonRows(parameter = "?"): string {
  return `(SELECT value AS row FROM json_each(${parameter}) LIMIT -1 OFFSET 0)`;
}

/** The platform accepts no text above 2 MB. A character is at most three bytes. */
export const MOST_BOUND_CHARACTERS = 600_000;

/** Passes rows to a statement as JSON, in as many parts as needed. `from` is the index of a part's first row. */
export function runInParts(
  rows: readonly unknown[],
  run: (json: string, from: number) => void,
  from = 0,
): void {
  const json = JSON.stringify(rows);
  if (json.length <= MOST_BOUND_CHARACTERS || rows.length <= 1) {
    run(json, from);
    return;
  }
  const half = Math.ceil(rows.length / 2);
  runInParts(rows.slice(0, half), run, from);
  runInParts(rows.slice(half), run, from + half);
}

/** All rows that a query finds for keys bound as JSON. */
export function readInParts<Row extends Record<string, SqlStorageValue>>(
  keys: readonly unknown[],
  read: (json: string) => SqlStorageCursor<Row>,
): Row[] {
  const rows: Row[] = [];
  runInParts(keys, (json) => {
    for (const row of readRows(read(json))) rows.push(row);
  });
  return rows;
}
