import type { Rollup } from "../../../domain/usage-report/rollup-maker.ts";
import { ROLLUP_COLUMNS } from "../../../domain/usage-report/rollup.ts";
import { TransactionalCache } from "../../../storage/transactional-cache.ts";

/** Rows of `run_digests`: the sums of all runs from one seq to another, by the names in one column. */
export interface RollupMetadata {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly startedMin: number;
  readonly startedMax: number;
  readonly groups: number;
  readonly bytes: number;
}

export type RolledUpRuns = Omit<RollupMetadata, "groups" | "bytes">;

const lastRolledUp = new TransactionalCache<number>();

/** The last run that is in a rollup. Runs with too many names to add up beforehand have an empty one. */
export function rolledUpTo(sql: SqlStorage): number {
  return lastRolledUp.get(sql, () => {
    const [row] = sql
      .exec<{ last_seq: number }>(
        "SELECT last_seq FROM run_digests WHERE kind = ? ORDER BY first_seq DESC LIMIT 1",
        ROLLUP_COLUMNS[0] ?? 0,
      )
      .toArray();
    return row?.last_seq ?? 0;
  });
}

export function writeRollups(sql: SqlStorage, of: RolledUpRuns, rollups: readonly Rollup[]): void {
  lastRolledUp.forget(sql);
  for (const { column, groups, data } of rollups) {
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
export function deleteRollups(sql: SqlStorage, beforeSeq: number): void {
  lastRolledUp.forget(sql);
  sql.exec(
    "DELETE FROM run_digests WHERE kind IN (SELECT value FROM json_each(?)) AND first_seq < ?",
    JSON.stringify(ROLLUP_COLUMNS),
    beforeSeq,
  );
}

/** The rollups by one column that begin with one of these seqs, in order. Both are included. */
export function readRollupMetadata(
  sql: SqlStorage,
  column: number,
  [from, to]: readonly [from: number, to: number],
): RollupMetadata[] {
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

export function readRollup(sql: SqlStorage, column: number, firstSeq: number): Uint8Array {
  const { data } = sql
    .exec<{ data: ArrayBuffer }>(
      "SELECT data FROM run_digests WHERE kind = ? AND first_seq = ?",
      column,
      firstSeq,
    )
    .one();
  return new Uint8Array(data);
}
