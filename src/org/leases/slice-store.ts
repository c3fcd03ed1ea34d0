import type { OutstandingSlice } from "../../gate/lease/lease-ledger.ts";
import { MOST_BOUND_CHARACTERS } from "../../storage/json-rows.ts";
import { type Row, type StoreRows, Table } from "../../storage/table.ts";
import { cached } from "../../domain/cache/cached.ts";

declare module "../../storage/table.ts" {
  interface LoggedTables {
    lease_slices: true;
  }
}

/**
 * The slices of an isolate change with every report, and there may be thousands of them. An entry of the write-ahead log has those that
 * changed; a checkpoint writes all slices of an isolate into as few rows as they fit into.
 */
const TABLE = new Table(
  {
    name: "lease_slices",
    columns: ["holder", "meter", "left", "until", "linger_ms", "since"],
    key: ["holder", "meter"],
    named: ["holder", "meter"],
    changing: ["left", "until", "linger_ms", "since"],
  },
  (...changes) => store(...changes),
);

type SliceRow = readonly [
  holder: string,
  meter: string,
  left: string,
  until: number,
  lingerMs: number,
  since: number,
];
type StoredSlice = readonly [meter: string, left: string, until: number, lingerMs: number, since?: number];

export function sliceRow(holder: string, meter: string, slice: OutstandingSlice | undefined): Row {
  if (slice === undefined) return [holder, meter, null, null, null, null];
  const { left, until, lingerMs, since = 0 } = slice;
  return [holder, meter, String(left), until, lingerMs, since];
}

function isThere([, , left]: Row): boolean {
  return left !== null;
}

/** A row without an amount is that of a slice that is gone. */
export function putSlices(sql: SqlStorage, rows: readonly Row[]): void {
  TABLE.put(sql, rows.filter(isThere));
  TABLE.delete(
    sql,
    rows.filter((row) => !isThere(row)),
  );
}

/** Returns what each isolate has, with what the write-ahead log has of it. */
export function loadSlices(sql: SqlStorage): Map<string, [string, OutstandingSlice][]> {
  const found = new Map<string, Map<string, OutstandingSlice>>();
  const of = (holder: string) => cached(found, holder, () => new Map());
  for (const [holder, stored] of readGroups(sql, null)) {
    for (const [meter, left, until, lingerMs, since = 0] of stored.values()) {
      of(holder).set(meter, { left: BigInt(left), until, lingerMs, since });
    }
  }
  for (const row of TABLE.touched(sql)) {
    const [holder, meter] = row as SliceRow;
    const current = TABLE.get(sql, holder, meter) as SliceRow | null;
    if (current === null) of(holder).delete(meter);
    else {
      const [, , left, until, lingerMs, since] = current;
      of(holder).set(meter, { left: BigInt(left), until, lingerMs, since });
    }
  }
  return new Map(Array.from(found, ([holder, slices]) => [holder, [...slices]]));
}

/** As the table has them, of all isolates or of some. */
function readGroups(
  sql: SqlStorage,
  holders: readonly string[] | null,
): Map<string, Map<string, StoredSlice>> {
  const which = holders === null ? "" : "WHERE holder IN (SELECT value FROM json_each(?))";
  const rows = sql.exec<{ holder: string; slices: string }>(
    `SELECT holder, slices FROM lease_slices ${which}`,
    ...(holders === null ? [] : [JSON.stringify(holders)]),
  );
  const groups = new Map<string, Map<string, StoredSlice>>();
  for (const { holder, slices } of rows) {
    const group = cached(groups, holder, () => new Map());
    for (const stored of JSON.parse(slices) as StoredSlice[]) group.set(stored[0], stored);
  }
  return groups;
}

/** A checkpoint: the rows of each isolate anew, with what has changed. */
const store: StoreRows = (sql, written, deleted) => {
  const holders = [...new Set([...written, ...deleted].map(([holder]) => String(holder)))];
  const groups = readGroups(sql, holders);
  for (const holder of holders) if (!groups.has(holder)) groups.set(holder, new Map());
  for (const [holder, meter] of deleted as readonly SliceRow[]) groups.get(holder)?.delete(meter);
  for (const [holder, ...stored] of written as readonly SliceRow[])
    groups.get(holder)?.set(stored[0], stored);
  for (const [holder, group] of groups) writeGroup(sql, holder, [...group.values()]);
};

function writeGroup(sql: SqlStorage, holder: string, slices: readonly StoredSlice[]): void {
  const parts = partsOf(slices);
  for (const [part, json] of parts.entries()) {
    sql.exec(
      `INSERT INTO lease_slices (holder, part, slices) VALUES (?, ?, ?)
       ON CONFLICT (holder, part) DO UPDATE SET slices = excluded.slices`,
      holder,
      part,
      json,
    );
  }
  sql.exec("DELETE FROM lease_slices WHERE holder = ? AND part >= ?", holder, parts.length);
}

function partsOf(slices: readonly StoredSlice[]): string[] {
  if (slices.length === 0) return [];
  const json = JSON.stringify(slices);
  if (json.length <= MOST_BOUND_CHARACTERS || slices.length === 1) return [json];
  const half = Math.ceil(slices.length / 2);
  return [...partsOf(slices.slice(0, half)), ...partsOf(slices.slice(half))];
}
