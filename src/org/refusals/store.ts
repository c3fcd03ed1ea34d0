import { HOUR_MS } from "../../contract/durations.ts";
import { readBatch, type RefusalBatch, type WireBatch } from "../../domain/refusal/batch.ts";
import { hourOf } from "../../domain/refusal/sums.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { insertRow } from "../../storage/rows.ts";

/** Rows that end in the same millisecond have separate numbers. Above this many, they move to the next. */
const PER_MS = 100;

export interface BatchRow extends Record<string, SqlStorageValue> {
  seq: number;
  first_at: number;
  notes: number;
  bytes: number;
  body: string;
}

/** The totals of all rows, and of those that are not in the sums of hours yet. */
export interface Totals {
  notes: number;
  bytes: number;
  summedSeq: number;
  unsummedRows: number;
  unsummedBytes: number;
}

const totals = new TransactionalCache<Totals>();

export function totalsOf(sql: SqlStorage): Totals {
  return totals.get(sql, () => readTotals(sql));
}

export function setTotals(sql: SqlStorage, changed: Partial<Totals>): void {
  totals.set(sql, { ...totalsOf(sql), ...changed });
}

function readTotals(sql: SqlStorage): Totals {
  const { folded } = sql.exec<{ folded: number }>("SELECT folded FROM refusal_fold").one();
  const sums = sql
    .exec<{ notes: number; bytes: number; rows: number; unfolded: number }>(
      `SELECT TOTAL(notes) AS notes, TOTAL(bytes) AS bytes, TOTAL(seq > ?1) AS rows,
         TOTAL(iif(seq > ?1, bytes, 0)) AS unfolded FROM refusal_batches`,
      folded,
    )
    .one();
  const { notes, bytes, rows: unfoldedRows, unfolded: unfoldedBytes } = sums;
  return { notes, bytes, summedSeq: folded, unsummedRows: unfoldedRows, unsummedBytes: unfoldedBytes };
}

/** The latest time that a row can have. */
export function lastAtOf(seq: number): number {
  return Math.floor(seq / PER_MS);
}

/** The first number that a row can have whose last refusal was at this time. */
export function firstSeqAt(ms: number): number {
  return ms * PER_MS;
}

/** Rows with numbers below this may have a refusal of that time's hour, or of an earlier one. */
export function seqAfterHourOf(ms: number): number {
  return (hourOf(ms) + HOUR_MS + 2) * PER_MS;
}

/** Refusals of one hour, as stored. */
export interface NewRow {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly notes: number;
  readonly body: string;
}

/** Its number. */
export function insertBatch(sql: SqlStorage, { firstAt, lastAt, notes, body }: NewRow): number {
  const from = firstSeqAt(lastAt);
  const top = sql
    .exec<{ top: number | null }>(
      "SELECT MAX(seq) AS top FROM refusal_batches WHERE seq >= ? AND seq < ?",
      from,
      from + 2 * PER_MS,
    )
    .one().top;
  const seq = top === null ? from : top + 1;
  const known = totalsOf(sql);
  insertRow(sql, "refusal_batches", { seq, first_at: firstAt, notes, bytes: body.length, body });
  const isSummed = seq <= known.summedSeq;
  setTotals(sql, {
    notes: known.notes + notes,
    bytes: known.bytes + body.length,
    unsummedRows: known.unsummedRows + (isSummed ? 0 : 1),
    unsummedBytes: known.unsummedBytes + (isSummed ? 0 : body.length),
  });
  return seq;
}

export function batchOf({ body }: Pick<BatchRow, "body">): RefusalBatch {
  return readBatch(JSON.parse(body) as WireBatch);
}
