import type { ColumnNames } from "../../../domain/run-segment/row-group.ts";
import { NAME_COLUMNS, type NameColumn } from "../../../domain/run-segment/record.ts";
import { nameKey } from "../../../domain/run-segment/names.ts";
import { NameFilter } from "../../../storage/segments/name-filter.ts";
import { type SegmentMetadata, type MetadataRow, fromMetadataRow } from "./metadata.ts";

/** Rows of `run_blocks`, each identified by the seq of its first run. */

const METADATA_COLUMNS = `state, first_seq, runs, octet_length(data) AS bytes, started_min, started_max, recorded_min,
  recorded_max, cost_min, cost_max`;

export function readEntries(sql: SqlStorage, fromSeq: number): SegmentMetadata[] {
  return sql
    .exec<MetadataRow>(
      `SELECT ${METADATA_COLUMNS} FROM run_blocks WHERE first_seq >= ? ORDER BY first_seq`,
      fromSeq,
    )
    .toArray()
    .map(fromMetadataRow);
}

export function readBytes(sql: SqlStorage, firstSeq: number): Uint8Array<ArrayBuffer> {
  const [row] = sql
    .exec<{ data: ArrayBuffer }>("SELECT data FROM run_blocks WHERE first_seq = ?", firstSeq)
    .toArray();
  if (row === undefined) throw new Error(`the segment of run ${firstSeq} is missing`);
  return new Uint8Array(row.data);
}

/** The filter of the names in a segment. */
export function namesOf(sql: SqlStorage, firstSeq: number): Uint8Array<ArrayBuffer> {
  const [row] = sql
    .exec<{ names: ArrayBuffer }>("SELECT names FROM run_blocks WHERE first_seq = ?", firstSeq)
    .toArray();
  if (row === undefined) throw new Error(`the segment of run ${firstSeq} is missing`);
  return new Uint8Array(row.names);
}

/** A null name means runs without one. Any segment may have such runs. */
export type Named = readonly [column: NameColumn, name: string | null];

/** Which of the segments that begin with these seqs or one between them may have runs with all of these names. */
export function segmentsWithNames(
  sql: SqlStorage,
  names: readonly Named[],
  [from, to]: readonly [from: number, to: number],
): ReadonlySet<number> {
  const rows = sql.exec<{ first_seq: number; names: ArrayBuffer }>(
    "SELECT first_seq, names FROM run_blocks WHERE state = 'runs' AND first_seq >= ? AND first_seq <= ?",
    from,
    to,
  );
  const found = new Set<number>();
  for (const { first_seq, names: stored } of rows) {
    if (mayHaveAll(NameFilter.read(stored), names)) found.add(first_seq);
  }
  return found;
}

export function mayHaveAll(filter: NameFilter, names: readonly Named[]): boolean {
  return names.every(([column, name]) => name === null || filter.mayHave(nameKey(column, name)));
}

/** A filter of the names in a complete segment. A segment that still grows has none, and may have any name. */
export function filterOf(names: ColumnNames): ArrayBuffer {
  const filtered = FILTERED.flatMap((column) =>
    (names.get(column) ?? []).map((name) => nameKey(column, name)),
  );
  return NameFilter.of(filtered).stored;
}

const FILTERED = NAME_COLUMNS.filter((column) => column !== "charges" && column !== "tags");

export const NO_FILTER = new ArrayBuffer(0);

export function writeSegment(
  sql: SqlStorage,
  segment: SegmentMetadata,
  names: ArrayBuffer,
  data: Uint8Array<ArrayBuffer>,
): void {
  sql.exec(
    `INSERT INTO run_blocks (first_seq, state, runs, started_min, started_max, recorded_min, recorded_max, cost_min,
       cost_max, names, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (first_seq) DO UPDATE SET state = excluded.state, runs = excluded.runs,
       started_min = excluded.started_min, started_max = excluded.started_max,
       recorded_min = excluded.recorded_min, recorded_max = excluded.recorded_max,
       cost_min = excluded.cost_min, cost_max = excluded.cost_max, names = excluded.names, data = excluded.data`,
    segment.firstSeq,
    segment.state,
    segment.runs,
    segment.startedMin,
    segment.startedMax,
    segment.recordedMin,
    segment.recordedMax,
    String(segment.costMin),
    String(segment.costMax),
    names,
    data,
  );
}

/** For segments that start with one of these seqs, both inclusive. */
export function deleteSegments(sql: SqlStorage, from: number, to: number): void {
  sql.exec("DELETE FROM run_blocks WHERE first_seq >= ? AND first_seq <= ?", from, to);
}
