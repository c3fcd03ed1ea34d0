import { DUE } from "../due-kinds.ts";
import { scheduleDue } from "../due/table.ts";

/**
 * Counts something of an org's object for the platform: the count is stored with the change that it counts, and sent to
 * a counter shard when due. Counts are added to the open batch. A batch that was sent is closed and never changes, so
 * it can be sent again with its number.
 */

export function countSeries(sql: SqlStorage, now: number, series: string, by = 1): void {
  sql.exec(
    `INSERT INTO counted (seq, series, n) SELECT open, ?1, ?2 FROM counter_batch WHERE true
     ON CONFLICT (seq, series) DO UPDATE SET n = n + excluded.n`,
    series,
    by,
  );
  scheduleDue(sql, DUE.counters, "", now);
}

export interface ClosedBatch {
  readonly seq: number;
  readonly deltas: (readonly [series: string, by: number])[];
}

/** Closes the open batch and returns every batch that no shard has confirmed. */
export function closeBatches(sql: SqlStorage): ClosedBatch[] {
  sql.exec(
    "UPDATE counter_batch SET open = open + 1 WHERE EXISTS (SELECT 1 FROM counted WHERE seq = counter_batch.open)",
  );
  const rows = sql
    .exec<{ seq: number; series: string; n: number }>("SELECT seq, series, n FROM counted ORDER BY seq")
    .toArray();
  const batches = new Map<number, ClosedBatch>();
  for (const { seq, series, n } of rows) {
    const batch = batches.get(seq) ?? { seq, deltas: [] };
    batch.deltas.push([series, n]);
    batches.set(seq, batch);
  }
  return [...batches.values()];
}

export function confirmBatches(sql: SqlStorage, batches: readonly ClosedBatch[]): void {
  for (const { seq } of batches) sql.exec("DELETE FROM counted WHERE seq = ?", seq);
}

export function hasCounts(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM counted LIMIT 1").toArray().length > 0;
}
