import { readRows } from "../read-rows.ts";
import type { SegmentPlace } from "./layout.ts";
import { type ArchivedFile, STATE } from "./metadata.ts";

/**
 * Rows of `<name>_files`, each a file in the archive. `making`: it may exist, and its segments are still here. `made`: its
 * segments are only there. `gone`: it is to be deleted.
 */
type FileRow = {
  firstSeq: number;
  rows: number;
  name: string;
  bytes: number;
  segments: number;
  startedMin: number;
  startedMax: number;
  recordedMin: number;
  recordedMax: number;
  costMin: string;
  costMax: string;
};

/** The files that begin with a seq or a later one, in order: an object that wakes reads all of them. */
export function readFiles(place: SegmentPlace, fromSeq: number): ArchivedFile[] {
  return readWhere(place, "first_seq >= ?", fromSeq);
}

export function readFile(place: SegmentPlace, firstSeq: number): ArchivedFile[] {
  return readWhere(place, "first_seq = ?", firstSeq);
}

function readWhere({ sql, name }: SegmentPlace, condition: string, seq: number): ArchivedFile[] {
  const rows = sql.exec<FileRow>(
    `SELECT first_seq AS firstSeq, runs AS "rows", name, bytes, segments, started_min AS startedMin,
       started_max AS startedMax, recorded_min AS recordedMin, recorded_max AS recordedMax, cost_min AS costMin,
       cost_max AS costMax
     FROM ${name}_files WHERE state = 'made' AND ${condition} ORDER BY first_seq`,
    seq,
  );
  return Array.from(readRows(rows), (row) => ({
    ...row,
    state: STATE.archived,
    costMin: BigInt(row.costMin),
    costMax: BigInt(row.costMax),
  }));
}
