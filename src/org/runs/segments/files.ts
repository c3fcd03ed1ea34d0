import { decodeGroups } from "../../../domain/run-archive/groups.ts";
import type { ArchiveFile, SegmentMetadata } from "./metadata.ts";

/**
 * Rows of `run_files`, each a file in the archive. `making`: it may exist, and its segments are still here. `made`: its segments
 * are only there. `gone`: it is to be deleted.
 */
export type FileState = "making" | "made" | "gone";

type FileRow = {
  first_seq: number;
  runs: number;
  name: string;
  bytes: number;
  blocks_at: number;
  groups: ArrayBuffer;
};

const FILE_COLUMNS = "first_seq, runs, name, bytes, blocks_at, groups";

/** The segments of all files from a seq on, in order. Files before it are not read. */
export function readArchivedSegments(sql: SqlStorage, fromSeq: number): SegmentMetadata[] {
  return sql
    .exec<FileRow>(
      `SELECT ${FILE_COLUMNS} FROM run_files
       WHERE state = 'made' AND first_seq + runs > ?1
         AND first_seq >= IFNULL((SELECT MAX(first_seq) FROM run_files WHERE first_seq <= ?1), 0)
       ORDER BY first_seq`,
      fromSeq,
    )
    .toArray()
    .flatMap(segmentsIn)
    .filter(({ firstSeq }) => firstSeq >= fromSeq);
}

/** The segments of the file that begins with a seq. */
export function readSegmentsOf(sql: SqlStorage, firstSeq: number): SegmentMetadata[] {
  return sql
    .exec<FileRow>(`SELECT ${FILE_COLUMNS} FROM run_files WHERE state = 'made' AND first_seq = ?`, firstSeq)
    .toArray()
    .flatMap(segmentsIn);
}

function segmentsIn(row: FileRow): SegmentMetadata[] {
  const file: ArchiveFile = { firstSeq: row.first_seq, runs: row.runs, name: row.name, bytes: row.bytes };
  let firstSeq = row.first_seq;
  let offset = row.blocks_at;
  let namesAt = 0;
  // Written out, because an object that wakes does this for every archived segment.
  return decodeGroups(new Uint8Array(row.groups)).map((group) => {
    const segment: SegmentMetadata = {
      state: "archived",
      firstSeq,
      runs: group.runs,
      bytes: group.bytes,
      startedMin: group.startedMin,
      startedMax: group.startedMax,
      recordedMin: group.recordedMin,
      recordedMax: group.recordedMax,
      costMin: group.costMin,
      costMax: group.costMax,
      place: {
        file,
        offset,
        names: { offset: namesAt, bytes: group.nameBytes },
        digest: group.digest,
      },
    };
    firstSeq += group.runs;
    offset += group.bytes;
    namesAt += group.nameBytes;
    return segment;
  });
}

/** What stays in the object of the runs in a file: filters of the names of each segment, and the hashes of all ids. */
export interface FileIndex {
  readonly names: Uint8Array;
  readonly numbers: Uint32Array;
  readonly marks: Uint16Array;
}

export function readFileIndex(sql: SqlStorage, { firstSeq, runs }: ArchiveFile): FileIndex {
  const [row] = sql
    .exec<{ names: ArrayBuffer; ids: ArrayBuffer }>(
      "SELECT names, ids FROM run_file_indexes WHERE first_seq = ?",
      firstSeq,
    )
    .toArray();
  if (row === undefined) throw new Error(`the index of the archived run ${firstSeq} is missing`);
  return {
    names: new Uint8Array(row.names),
    numbers: new Uint32Array(row.ids, 0, runs),
    marks: new Uint16Array(row.ids, runs * NUMBER_BYTES, runs),
  };
}

const NUMBER_BYTES = 4;

/** The hashes as they are stored. */
export function idsOf(numbers: Uint32Array, marks: Uint16Array): ArrayBuffer {
  const bytes = new Uint8Array(numbers.byteLength + marks.byteLength);
  bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  bytes.set(new Uint8Array(marks.buffer, marks.byteOffset, marks.byteLength), numbers.byteLength);
  return bytes.buffer;
}
