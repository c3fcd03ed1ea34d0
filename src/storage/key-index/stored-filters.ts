import type { IndexTables } from "./stored-blocks.ts";
import { insertRow } from "../rows.ts";

/**
 * The filters of large segments, each in a few long rows: an object that wakes reads them in a fraction of the time that its
 * blocks would take, which have a part of the filter each. An index of few keys does without such rows.
 */
function filterTable({ name, hasFilters }: IndexTables): string | undefined {
  return hasFilters === true ? `${name}_filters` : undefined;
}

const PART_BYTES = 1_048_576;

/** The segment that a filter is of. Numbers of segments can come again, with other rows. */
export interface FilteredSegment {
  readonly segment: number;
  readonly first_seq: number;
  readonly last_seq: number;
}

export function writeFilter(
  sql: SqlStorage,
  index: IndexTables,
  of: FilteredSegment,
  bytes: Uint8Array,
): void {
  const table = filterTable(index);
  if (table === undefined) return;
  deleteFilter(sql, index, of.segment);
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  const { segment, first_seq, last_seq } = of;
  for (let part = 0; part < parts; part += 1) {
    const filter = bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES);
    insertRow(sql, table, { segment, part, first_seq, last_seq, filter });
  }
}

/**
 * How long the stored filters are, by what they are of, without reading them. Every row is walked, because the database reads
 * each row whole that it compares to find one by its key.
 */
export function filterLengths(sql: SqlStorage, index: IndexTables): (of: FilteredSegment) => number {
  const table = filterTable(index);
  const lengths = new Map<string, number>();
  const rows =
    table === undefined
      ? []
      : sql.exec<FilterLength>(
          `SELECT segment, first_seq, last_seq, octet_length(filter) AS bytes FROM ${table}`,
        );
  for (const { bytes, ...of } of rows) lengths.set(keyOf(of), (lengths.get(keyOf(of)) ?? 0) + bytes);
  return (of) => lengths.get(keyOf(of)) ?? NOT_STORED;
}

/** The filter of a segment on the last levels is empty, but stored. */
const NOT_STORED = -1;

type FilterLength = { segment: number; first_seq: number; last_seq: number; bytes: number };

function keyOf({ segment, first_seq, last_seq }: FilteredSegment): string {
  return `${segment} ${first_seq} ${last_seq}`;
}

/** The parts of a filter, in order. None if it is not stored. The plus makes the database walk the rows here too. */
export function readFilter(sql: SqlStorage, index: IndexTables, of: FilteredSegment): ArrayBuffer[] {
  const table = filterTable(index);
  if (table === undefined) return [];
  return sql
    .exec<{ filter: ArrayBuffer }>(
      `SELECT filter FROM ${table} WHERE +segment = ? AND first_seq = ? AND last_seq = ? ORDER BY segment, part`,
      of.segment,
      of.first_seq,
      of.last_seq,
    )
    .toArray()
    .map(({ filter }) => filter);
}

export function deleteFilter(sql: SqlStorage, index: IndexTables, segment: number): void {
  const table = filterTable(index);
  if (table !== undefined) sql.exec(`DELETE FROM ${table} WHERE segment = ?`, segment);
}
