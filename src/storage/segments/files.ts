import { eachFileSegment } from "./file-metadata.ts";
import type { SegmentPlace } from "./layout.ts";
import { type ArchivedFile, type SegmentMetadata, STATE } from "./metadata.ts";

/**
 * Rows of `<name>_files`, each a file in the archive. `making`: it may exist, and its segments are still here. `made`: its
 * segments are only there. `gone`: it is to be deleted.
 */
type FileRow = {
  firstSeq: number;
  rows: number;
  name: string;
  bytes: number;
  segmentsAt: number;
  segments: ArrayBuffer;
};

/** The segments of all files from a seq on, in order. Files before it are not read. */
export function readArchivedSegments(place: SegmentPlace, fromSeq: number): SegmentMetadata[] {
  const files = `${place.name}_files`;
  return readSegments(
    place,
    `first_seq + runs > ?1 AND first_seq >= IFNULL((SELECT MAX(first_seq) FROM ${files} WHERE first_seq <= ?1), 0)`,
    fromSeq,
  ).filter(({ firstSeq }) => firstSeq >= fromSeq);
}

/** The segments of the file that begins with a seq. */
export function readSegmentsOf(place: SegmentPlace, firstSeq: number): SegmentMetadata[] {
  return readSegments(place, "first_seq = ?1", firstSeq);
}

function readSegments({ sql, name }: SegmentPlace, condition: string, seq: number): SegmentMetadata[] {
  const files = sql.exec<FileRow>(
    `SELECT first_seq AS firstSeq, runs AS "rows", name, bytes, blocks_at AS segmentsAt, groups AS segments
     FROM ${name}_files WHERE state = 'made' AND ${condition} ORDER BY first_seq`,
    seq,
  );
  const found: SegmentMetadata[] = [];
  for (const row of files) addSegments(row, found);
  return found;
}

function addSegments(row: FileRow, found: SegmentMetadata[]): void {
  const file: ArchivedFile = { firstSeq: row.firstSeq, rows: row.rows, name: row.name, bytes: row.bytes };
  let { firstSeq, segmentsAt: offset } = row;
  let namesAt = 0;
  eachFileSegment(new Uint8Array(row.segments), ({ nameBytes, digest, ...segment }) => {
    const names = { offset: namesAt, bytes: nameBytes };
    found.push({ state: STATE.archived, firstSeq, ...segment, place: { file, offset, names, digest } });
    firstSeq += segment.rows;
    offset += segment.bytes;
    namesAt += nameBytes;
  });
}
