import { readRows } from "../read-rows.ts";
import { insertRow } from "../rows.ts";
import type { SegmentPlace } from "./layout.ts";
import { type ArchivedFile, type ArchivedSegment, lastSeqOf, STATE } from "./metadata.ts";

/**
 * Rows of `<name>_file_segments`, each a segment in a file of the archive: where it is in the file, its digest, its zone map, and what
 * tells without reading the file whether it has a name or an id.
 */
type FileSegmentRow = {
  firstSeq: number;
  rows: number;
  offset: number;
  bytes: number;
  digest: string;
  startedMin: number;
  startedMax: number;
  recordedMin: number;
  recordedMax: number;
  costMin: string;
  costMax: string;
};

export function readFileSegments({ sql, name }: SegmentPlace, file: ArchivedFile): ArchivedSegment[] {
  const rows = sql.exec<FileSegmentRow>(
    `SELECT first_seq AS firstSeq, runs AS "rows", starts_at AS "offset", bytes, digest, started_min AS startedMin,
       started_max AS startedMax, recorded_min AS recordedMin, recorded_max AS recordedMax, cost_min AS costMin,
       cost_max AS costMax
     FROM ${name}_file_segments WHERE first_seq BETWEEN ? AND ? ORDER BY first_seq`,
    file.firstSeq,
    lastSeqOf(file),
  );
  const segments = Array.from(readRows(rows), (row): ArchivedSegment => ({
    ...row,
    state: STATE.archived,
    file,
    costMin: BigInt(row.costMin),
    costMax: BigInt(row.costMax),
  }));
  if (segments.length !== file.segments)
    throw new Error(
      `segments of ${name} ${file.firstSeq} are missing: ${segments.length} of ${file.segments}`,
    );
  return segments;
}

/** A segment of a new file, and what is known of it without reading the file. */
export interface NewFileSegment {
  readonly segment: Omit<ArchivedSegment, "state" | "file">;
  /** The filter of its names. */
  readonly names: ArrayBuffer;
  readonly hashes: ArrayBuffer;
}

export function writeFileSegment(
  { sql, name }: SegmentPlace,
  { segment, names, hashes }: NewFileSegment,
): void {
  insertRow(sql, `${name}_file_segments`, {
    first_seq: segment.firstSeq,
    runs: segment.rows,
    starts_at: segment.offset,
    bytes: segment.bytes,
    digest: segment.digest,
    started_min: segment.startedMin,
    started_max: segment.startedMax,
    recorded_min: segment.recordedMin,
    recorded_max: segment.recordedMax,
    cost_min: String(segment.costMin),
    cost_max: String(segment.costMax),
    names,
    hashes,
  });
}

/** Deletes the rows of the segments that begin with one of these seqs. Both are included. */
export function deleteFileSegments({ sql, name }: SegmentPlace, from: number, to: number): void {
  sql.exec(`DELETE FROM ${name}_file_segments WHERE first_seq BETWEEN ? AND ?`, from, to);
}

/** The filter of the names in an archived segment. */
export function archivedFilter({ sql, name }: SegmentPlace, { firstSeq }: ArchivedSegment): ArrayBuffer {
  return sql
    .exec<{ names: ArrayBuffer }>(`SELECT names FROM ${name}_file_segments WHERE first_seq = ?`, firstSeq)
    .one().names;
}
