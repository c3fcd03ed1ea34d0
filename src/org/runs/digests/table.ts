import type { Digest } from "../../../domain/usage-report/digest-maker.ts";
import { DIGESTED } from "../../../domain/usage-report/digest.ts";
import { TransactionalCache } from "../../../storage/transactional-cache.ts";

/** Rows of `run_digests`: the sums of all runs from one seq to another, by the names in one column. */
export interface DigestEntry {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly startedMin: number;
  readonly startedMax: number;
  readonly groups: number;
  readonly bytes: number;
}

export type DigestedRuns = Omit<DigestEntry, "groups" | "bytes">;

const lastDigested = new TransactionalCache<number>();

/** The last run that is in a digest. Runs with too many names to add up beforehand have an empty one. */
export function digestedTo(sql: SqlStorage): number {
  return lastDigested.get(sql, () => {
    const [row] = sql
      .exec<{ last_seq: number }>(
        "SELECT last_seq FROM run_digests WHERE kind = ? ORDER BY first_seq DESC LIMIT 1",
        DIGESTED[0] ?? 0,
      )
      .toArray();
    return row?.last_seq ?? 0;
  });
}

export function writeDigests(sql: SqlStorage, of: DigestedRuns, digests: readonly Digest[]): void {
  lastDigested.forget(sql);
  for (const { column, groups, data } of digests) {
    sql.exec(
      `INSERT INTO run_digests (kind, first_seq, last_seq, started_min, started_max, groups, data)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      column,
      of.firstSeq,
      of.lastSeq,
      of.startedMin,
      of.startedMax,
      groups,
      data,
    );
  }
}

/** Deletes those that have a run before a seq, because retention has deleted it. */
export function deleteDigests(sql: SqlStorage, beforeSeq: number): void {
  lastDigested.forget(sql);
  sql.exec(
    "DELETE FROM run_digests WHERE kind IN (SELECT value FROM json_each(?)) AND first_seq < ?",
    JSON.stringify(DIGESTED),
    beforeSeq,
  );
}

/** The digests by one column that begin with one of these seqs, in order. Both are included. */
export function readDigestEntries(
  sql: SqlStorage,
  column: number,
  [from, to]: readonly [from: number, to: number],
): DigestEntry[] {
  return sql
    .exec<{
      first_seq: number;
      last_seq: number;
      started_min: number;
      started_max: number;
      groups: number;
      bytes: number;
    }>(
      `SELECT first_seq, last_seq, started_min, started_max, groups, octet_length(data) AS bytes FROM run_digests
       WHERE kind = ? AND first_seq >= ? AND first_seq <= ? ORDER BY first_seq`,
      column,
      from,
      to,
    )
    .toArray()
    .map((row) => ({
      firstSeq: row.first_seq,
      lastSeq: row.last_seq,
      startedMin: row.started_min,
      startedMax: row.started_max,
      groups: row.groups,
      bytes: row.bytes,
    }));
}

export function readDigest(sql: SqlStorage, column: number, firstSeq: number): Uint8Array {
  const { data } = sql
    .exec<{ data: ArrayBuffer }>(
      "SELECT data FROM run_digests WHERE kind = ? AND first_seq = ?",
      column,
      firstSeq,
    )
    .one();
  return new Uint8Array(data);
}
