import { readRows } from "../../read-rows.ts";
import { TransactionalCache } from "../../transactional-cache.ts";
import type { Rollup, SegmentPlace } from "../layout.ts";
import type { Segments } from "../segments.ts";
import { insertRow } from "../../rows.ts";

/** Rows of `<name>_digests`: the sums of all rows from one seq to another, by the names in one column. */
export type RollupMetadata = RolledUpRows & {
  groups: number;
  bytes: number;
};

export type RolledUpRows = {
  firstSeq: number;
  lastSeq: number;
  startedMin: number;
  startedMax: number;
};

const lastRolledUp = new TransactionalCache<number>();

/** The last row that is in a rollup. Rows with too many names to add up beforehand have an empty one. */
export function lastRolledUpRow({ sql, name, layout }: Segments): number {
  return lastRolledUp.get(sql, () => {
    const [row] = sql
      .exec<{ last_seq: number }>(
        `SELECT last_seq FROM ${name}_digests WHERE kind = ? ORDER BY first_seq DESC LIMIT 1`,
        layout.rollupColumns[0] ?? 0,
      )
      .toArray();
    return row?.last_seq ?? 0;
  });
}

export function writeRollups(
  { sql, name }: SegmentPlace,
  of: RolledUpRows,
  rollups: readonly Rollup[],
): void {
  lastRolledUp.forget(sql);
  const { firstSeq: first_seq, lastSeq: last_seq, startedMin: started_min, startedMax: started_max } = of;
  const rows = { first_seq, last_seq, started_min, started_max };
  for (const { column, groups, data } of rollups) {
    insertRow(sql, `${name}_digests`, { kind: column, ...rows, groups, data });
  }
}

/** Deletes the rollups that have a row before a seq, because retention has deleted it. */
export function deleteRollups({ sql, name, layout }: Segments, beforeSeq: number): void {
  lastRolledUp.forget(sql);
  sql.exec(
    `DELETE FROM ${name}_digests WHERE kind IN (SELECT value FROM json_each(?)) AND first_seq < ?`,
    JSON.stringify(layout.rollupColumns),
    beforeSeq,
  );
}

/** The rollups by one column that begin with one of these seqs, in order. Both are included. */
export function readRollupMetadata(
  { sql, name }: SegmentPlace,
  column: number,
  [from, to]: readonly [from: number, to: number],
): RollupMetadata[] {
  const rows = sql.exec<RollupMetadata>(
    `SELECT first_seq AS firstSeq, last_seq AS lastSeq, started_min AS startedMin, started_max AS startedMax, groups,
       octet_length(data) AS bytes
     FROM ${name}_digests WHERE kind = ? AND first_seq >= ? AND first_seq <= ? ORDER BY first_seq`,
    column,
    from,
    to,
  );
  return [...readRows(rows)];
}

export function readRollup({ sql, name }: SegmentPlace, column: number, firstSeq: number): Uint8Array {
  const { data } = sql
    .exec<{ data: ArrayBuffer }>(
      `SELECT data FROM ${name}_digests WHERE kind = ? AND first_seq = ?`,
      column,
      firstSeq,
    )
    .one();
  return new Uint8Array(data);
}
