import type { SegmentPlace } from "../layout.ts";
import type { LocalSegment } from "../metadata.ts";
import { joinZoneMaps } from "../zone-map.ts";

/** The files of an object in the archive, by the first row of each. */

/** The seq of the last row that was ever archived. */
export function archivedTo({ sql, name }: SegmentPlace): number {
  const [row] = sql.exec<{ last_seq: number }>(`SELECT last_seq FROM ${name}_archive`).toArray();
  return row?.last_seq ?? 0;
}

export function noteArchived({ sql, name }: SegmentPlace, lastSeq: number): void {
  sql.exec(
    `INSERT INTO ${name}_archive (one, last_seq) VALUES (1, ?)
     ON CONFLICT (one) DO UPDATE SET last_seq = excluded.last_seq`,
    lastSeq,
  );
}

export interface FileName {
  readonly firstSeq: number;
  readonly rows: number;
  readonly name: string;
}

const SEQ_DIGITS = 12;

/** Where the rows are says everything: while an object stays, the same rows always have the same name. */
export function nameOf({ sql, name }: SegmentPlace, prefix: string, seqs: readonly [number, number]): string {
  const [first, last] = seqs.map((seq) => String(seq).padStart(SEQ_DIGITS, "0"));
  const [row] = sql.exec<{ place: string | null }>(`SELECT place FROM ${name}_archive`).toArray();
  const place = typeof row?.place === "string" ? `${row.place}/` : "";
  return `${prefix}${place}${first}-${last}.segments`;
}

/**
 * What is archived after an object came from an archive has names of its own: files of the same rows may lie where it was
 * before, or here from an earlier stay, and may be deleted at any time.
 */
export function archiveApart({ sql, name }: Pick<SegmentPlace, "sql" | "name">, place: string): void {
  sql.exec(
    `INSERT INTO ${name}_archive (one, last_seq, place) VALUES (1, 0, ?)
     ON CONFLICT (one) DO UPDATE SET place = excluded.place`,
    place,
  );
}

/** Files that are not made, or no longer needed. An index has only these, so that others cost nothing. */
export function filesIn({ sql, name }: SegmentPlace, state: "making" | "gone"): FileName[] {
  return sql
    .exec<{ firstSeq: number; rows: number; name: string }>(
      `SELECT first_seq AS firstSeq, runs AS "rows", name FROM ${name}_files WHERE state <> 'made' AND state = ?
       ORDER BY first_seq`,
      state,
    )
    .toArray();
}

export function hasFilesToEnd({ sql, name }: SegmentPlace): boolean {
  return sql.exec(`SELECT 1 FROM ${name}_files WHERE state <> 'made' LIMIT 1`).toArray().length > 0;
}

/** Says that a file of this name may exist from now on, so that none is ever left behind. */
export function beginFile(of: SegmentPlace, { firstSeq, rows, name }: FileName): void {
  of.sql.exec(
    `INSERT INTO ${of.name}_files (first_seq, state, name, runs, bytes, segments, started_min, started_max,
       recorded_min, recorded_max, cost_min, cost_max)
     VALUES (?, 'making', ?, ?, 0, 0, 0, 0, 0, 0, '0', '0')`,
    firstSeq,
    name,
    rows,
  );
}

/** The file has these segments now. */
export function endFile(
  { sql, name }: SegmentPlace,
  firstSeq: number,
  segments: readonly LocalSegment[],
): void {
  const zones = joinZoneMaps(segments);
  sql.exec(
    `UPDATE ${name}_files SET state = 'made', bytes = ?, segments = ?, started_min = ?, started_max = ?,
       recorded_min = ?, recorded_max = ?, cost_min = ?, cost_max = ?
     WHERE first_seq = ?`,
    segments.reduce((sum, { bytes }) => sum + bytes, 0),
    segments.length,
    zones.startedMin,
    zones.startedMax,
    zones.recordedMin,
    zones.recordedMax,
    String(zones.costMin),
    String(zones.costMax),
    firstSeq,
  );
}

/** The file is to be deleted from the archive. */
export function giveUpFile({ sql, name }: SegmentPlace, firstSeq: number): void {
  sql.exec(`UPDATE ${name}_files SET state = 'gone' WHERE first_seq = ?`, firstSeq);
}

export function forgetFile({ sql, name }: SegmentPlace, firstSeq: number): void {
  sql.exec(`DELETE FROM ${name}_files WHERE first_seq = ? AND state = 'gone'`, firstSeq);
}
