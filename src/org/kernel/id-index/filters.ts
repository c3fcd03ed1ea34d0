import type { IndexName } from "./entries.ts";

/**
 * The filters of large segments, each in a few long rows: an object that wakes reads them in a fraction of the time that its
 * blocks would take, which have a part of the filter each. An org has fewer reservations than runs, and not for long, so that
 * their index has no such rows.
 */
const TABLES: Readonly<Partial<Record<IndexName, string>>> = { run_id: "run_id_filters" };

const PART_BYTES = 1_048_576;

/** What a filter is of. Numbers of segments can come again, with other rows. */
export interface FilteredSegment {
  readonly segment: number;
  readonly first_seq: number;
  readonly last_seq: number;
}

export function writeFilter(sql: SqlStorage, name: IndexName, of: FilteredSegment, bytes: Uint8Array): void {
  const table = TABLES[name];
  if (table === undefined) return;
  deleteFilter(sql, name, of.segment);
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  for (let part = 0; part < parts; part += 1) {
    sql.exec(
      `INSERT INTO ${table} (segment, part, first_seq, last_seq, filter) VALUES (?, ?, ?, ?, ?)`,
      of.segment,
      part,
      of.first_seq,
      of.last_seq,
      bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES).buffer,
    );
  }
}

/** How long a filter is, without reading it. -1 if it is not stored. */
export function filterBytes(sql: SqlStorage, name: IndexName, of: FilteredSegment): number {
  const table = TABLES[name];
  if (table === undefined) return -1;
  return sql
    .exec<{ bytes: number }>(
      `SELECT IFNULL(SUM(octet_length(filter)), -1) AS bytes FROM ${table}
       WHERE segment = ? AND first_seq = ? AND last_seq = ?`,
      of.segment,
      of.first_seq,
      of.last_seq,
    )
    .one().bytes;
}

/** The parts of a filter, in order. None if it is not stored. */
export function readFilter(sql: SqlStorage, name: IndexName, of: FilteredSegment): ArrayBuffer[] {
  const table = TABLES[name];
  if (table === undefined) return [];
  return sql
    .exec<{ filter: ArrayBuffer }>(
      `SELECT filter FROM ${table} WHERE segment = ? AND first_seq = ? AND last_seq = ? ORDER BY part`,
      of.segment,
      of.first_seq,
      of.last_seq,
    )
    .toArray()
    .map(({ filter }) => filter);
}

export function deleteFilter(sql: SqlStorage, name: IndexName, segment: number): void {
  const table = TABLES[name];
  if (table !== undefined) sql.exec(`DELETE FROM ${table} WHERE segment = ?`, segment);
}
