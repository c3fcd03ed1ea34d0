import type { SegmentMetadata } from "../segments/metadata.ts";
import type { FileState } from "../segments/files.ts";

/** The files of an org in the archive, by the first run of each. */

/** The seq of the last run that was ever archived. */
export function archivedTo(sql: SqlStorage): number {
  const [row] = sql.exec<{ last_seq: number }>("SELECT last_seq FROM run_archive").toArray();
  return row?.last_seq ?? 0;
}

export function noteArchived(sql: SqlStorage, lastSeq: number): void {
  sql.exec(
    "INSERT INTO run_archive (one, last_seq) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET last_seq = excluded.last_seq",
    lastSeq,
  );
}

export interface FileName {
  readonly firstSeq: number;
  readonly runs: number;
  readonly name: string;
}

const SEQ_DIGITS = 12;

/** Where the runs are in the ledger says everything: while an org stays, the same runs always have the same name. */
export function nameOf(sql: SqlStorage, orgId: string, firstSeq: number, lastSeq: number): string {
  const [first, last] = [firstSeq, lastSeq].map((seq) => String(seq).padStart(SEQ_DIGITS, "0"));
  const [row] = sql.exec<{ place: string | null }>("SELECT place FROM run_archive").toArray();
  const place = typeof row?.place === "string" ? `${row.place}/` : "";
  return `${orgId}/runs/${place}${first}-${last}.parquet`;
}

/**
 * What an org archives after it came from an archive has names of its own: files of the same runs may lie where it was before,
 * or here from an earlier stay, and may be deleted at any time.
 */
export function archiveApart(sql: SqlStorage, place: string): void {
  sql.exec(
    `INSERT INTO run_archive (one, last_seq, place) VALUES (1, 0, ?)
     ON CONFLICT (one) DO UPDATE SET place = excluded.place`,
    place,
  );
}

/** Files that are not made, or no longer needed. An index has only these, so that others cost nothing. */
export function filesIn(sql: SqlStorage, state: Exclude<FileState, "made">): FileName[] {
  return sql
    .exec<{ firstSeq: number; runs: number; name: string }>(
      `SELECT first_seq AS firstSeq, runs, name FROM run_files WHERE state <> 'made' AND state = ?
       ORDER BY first_seq`,
      state,
    )
    .toArray();
}

export function hasFilesToEnd(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM run_files WHERE state <> 'made' LIMIT 1").toArray().length > 0;
}

/** Says that a file of this name may exist from now on, so that none is ever left behind. */
export function beginFile(sql: SqlStorage, { firstSeq, runs, name }: FileName): void {
  sql.exec(
    `INSERT INTO run_files (first_seq, state, name, runs, bytes, blocks_at, started_min, started_max, recorded_min,
       recorded_max, cost, input_tokens, output_tokens, groups)
     VALUES (?, 'making', ?, ?, 0, 0, 0, 0, 0, 0, '0', 0, 0, x'')`,
    firstSeq,
    name,
    runs,
  );
}

/** What is known of a file without reading it. */
export interface MadeFile extends FileName {
  readonly bytes: number;
  readonly blocksAt: number;
  readonly cost: bigint;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly groups: Uint8Array<ArrayBuffer>;
  readonly names: Uint8Array<ArrayBuffer>;
  readonly ids: ArrayBuffer;
}

export function endFile(sql: SqlStorage, made: MadeFile, segments: readonly SegmentMetadata[]): void {
  sql.exec(
    `UPDATE run_files SET state = 'made', bytes = ?, blocks_at = ?, started_min = ?, started_max = ?, recorded_min = ?,
       recorded_max = ?, cost = ?, input_tokens = ?, output_tokens = ?, groups = ? WHERE first_seq = ?`,
    made.bytes,
    made.blocksAt,
    Math.min(...segments.map(({ startedMin }) => startedMin)),
    Math.max(...segments.map(({ startedMax }) => startedMax)),
    Math.min(...segments.map(({ recordedMin }) => recordedMin)),
    Math.max(...segments.map(({ recordedMax }) => recordedMax)),
    String(made.cost),
    made.inputTokens,
    made.outputTokens,
    made.groups,
    made.firstSeq,
  );
  sql.exec(
    "INSERT INTO run_file_indexes (first_seq, names, ids) VALUES (?, ?, ?)",
    made.firstSeq,
    made.names,
    made.ids,
  );
}

/** The file is to be deleted from the archive. */
export function giveUpFile(sql: SqlStorage, firstSeq: number): void {
  sql.exec("UPDATE run_files SET state = 'gone' WHERE first_seq = ?", firstSeq);
  sql.exec("DELETE FROM run_file_indexes WHERE first_seq = ?", firstSeq);
}

export function forgetFile(sql: SqlStorage, firstSeq: number): void {
  sql.exec("DELETE FROM run_files WHERE first_seq = ? AND state = 'gone'", firstSeq);
}
