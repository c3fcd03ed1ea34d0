import type { HashProbe } from "../key-index/probe.ts";
import { readRows } from "../read-rows.ts";
import type { SegmentPlace } from "./layout.ts";
import type { LocalSegment } from "./metadata.ts";
import { NameFilter } from "./name-filter.ts";

/** Rows of `<name>_blocks`, each a segment, identified by the seq of its first row. */

type StoredMetadata = {
  state: LocalSegment["state"];
  firstSeq: number;
  rows: number;
  bytes: number;
  startedMin: number;
  startedMax: number;
  recordedMin: number;
  recordedMax: number;
  costMin: string;
  costMax: string;
};

export function readMetadata({ sql, name }: SegmentPlace, fromSeq: number): LocalSegment[] {
  const rows = sql.exec<StoredMetadata>(
    `SELECT state, first_seq AS firstSeq, runs AS "rows", octet_length(data) AS bytes, started_min AS startedMin,
       started_max AS startedMax, recorded_min AS recordedMin, recorded_max AS recordedMax, cost_min AS costMin,
       cost_max AS costMax
     FROM ${name}_blocks WHERE first_seq >= ? ORDER BY first_seq`,
    fromSeq,
  );
  return Array.from(readRows(rows), (row) => ({
    ...row,
    costMin: BigInt(row.costMin),
    costMax: BigInt(row.costMax),
  }));
}

/** Reads the bytes of the segment that begins with a seq, or the filter of its names. */
export function readPart(
  { sql, name }: SegmentPlace,
  part: "data" | "names",
  firstSeq: number,
): Uint8Array<ArrayBuffer> {
  const [row] = sql
    .exec<{ part: ArrayBuffer }>(`SELECT ${part} AS part FROM ${name}_blocks WHERE first_seq = ?`, firstSeq)
    .toArray();
  if (row === undefined) throw new Error(`the segment of ${name} ${firstSeq} is missing`);
  return new Uint8Array(row.part);
}

/** Where the filters of names are: of segments that are stored here, and of archived ones. */
type FilterTable = "blocks" | "file_segments";

/** Returns which of the segments with rows that begin with these seqs may have all of these names. */
export function segmentsWithNames(
  { sql, name }: SegmentPlace,
  probe: HashProbe,
  { table, seqs }: { readonly table: FilterTable; readonly seqs: readonly number[] },
): number[] {
  if (seqs.length === 0) return [];
  const rows = sql.exec<{ first_seq: number; names: ArrayBuffer }>(
    `SELECT first_seq, names FROM ${name}_${table} WHERE first_seq IN (SELECT value FROM json_each(?))`,
    JSON.stringify(seqs),
  );
  const found: number[] = [];
  for (const { first_seq, names } of readRows(rows))
    if (NameFilter.read(names).mayHave(probe)) found.push(first_seq);
  return found;
}

/** A segment that still grows has no filter: it may have any name. */
export const NO_FILTER = new ArrayBuffer(0);

export function writeSegment(
  { sql, name }: SegmentPlace,
  segment: LocalSegment,
  names: ArrayBuffer,
  data: Uint8Array<ArrayBuffer>,
): void {
  sql.exec(
    `INSERT INTO ${name}_blocks (first_seq, state, runs, started_min, started_max, recorded_min, recorded_max, cost_min,
       cost_max, names, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (first_seq) DO UPDATE SET state = excluded.state, runs = excluded.runs,
       started_min = excluded.started_min, started_max = excluded.started_max,
       recorded_min = excluded.recorded_min, recorded_max = excluded.recorded_max,
       cost_min = excluded.cost_min, cost_max = excluded.cost_max, names = excluded.names, data = excluded.data`,
    segment.firstSeq,
    segment.state,
    segment.rows,
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

/** Deletes the segments that start with one of these seqs, both inclusive. */
export function deleteSegments({ sql, name }: SegmentPlace, from: number, to: number): void {
  sql.exec(`DELETE FROM ${name}_blocks WHERE first_seq >= ? AND first_seq <= ?`, from, to);
}
