import { readBatch, type RefusalBatch, type WireBatch, writeBatch } from "../../domain/refusal/batch.ts";
import { hourOf, type RefusalSum, RefusalSums } from "../../domain/refusal/sums.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { type BatchRow, batchOf, setTotals, totalsOf } from "./store.ts";

/** The maximum per hour. Further customers and workflows are counted together. */
export const GROUPS_PER_HOUR = 10_000;
const GROUPS_PER_PART = 1000;

/** The sums of hours are made when this many rows are waiting. Fewer make summaries faster; more mean fewer written rows. */
const ROWS_TO_SUM = 64;
const BYTES_TO_SUM = 2_097_152;

export function addBatch(sums: RefusalSums, { notes, more }: RefusalBatch): void {
  for (const note of notes) sums.addNote(note);
  for (const sum of more) sums.add(sum, sum.count, sum.nanos);
}

/** Together they take a few MB. */
const MOST_SUMS_KEPT = 20_000;

/** Stored sums of hours in memory: one page asks for the hours of a day several times, and is looked at again. */
const known = new TransactionalCache<Map<number, readonly RefusalSum[]>>();

/** The stored sums of an hour. */
export function sumsOfHour(sql: SqlStorage, hour: number): readonly RefusalSum[] {
  const hours = known.get(sql, () => new Map());
  const there = hours.get(hour);
  if (there !== undefined) return there;
  const sums = new RefusalSums(GROUPS_PER_HOUR);
  addHour(sql, sums, hour);
  const read = [...sums.entries()];
  hours.set(hour, read);
  let kept = [...hours.values()].reduce((count, { length }) => count + length, 0);
  // Those that were read first make room.
  for (const [first, { length }] of hours) {
    if (kept <= MOST_SUMS_KEPT) break;
    hours.delete(first);
    kept -= length;
  }
  return read;
}

/** Adds the stored sums of an hour. */
function addHour(sql: SqlStorage, sums: RefusalSums, hour: number): void {
  const parts = sql.exec<{ body: string }>("SELECT body FROM refusal_hours WHERE hour = ?", hour);
  for (const { body } of parts) addBatch(sums, readBatch(JSON.parse(body) as WireBatch));
}

/** Adds to the stored sums of an hour. */
export function addToHour(sql: SqlStorage, hour: number, batches: readonly RefusalBatch[]): void {
  const sums = new RefusalSums(GROUPS_PER_HOUR);
  addHour(sql, sums, hour);
  for (const batch of batches) addBatch(sums, batch);
  const all = [...sums.entries()];
  for (let part = 0; part * GROUPS_PER_PART < all.length; part += 1) {
    const more = all.slice(part * GROUPS_PER_PART, (part + 1) * GROUPS_PER_PART);
    sql.exec(
      `INSERT INTO refusal_hours (hour, part, body) VALUES (?, ?, ?)
       ON CONFLICT (hour, part) DO UPDATE SET body = excluded.body`,
      hour,
      part,
      JSON.stringify(writeBatch({ notes: [], more })),
    );
  }
  known.renew(sql, (hours) => {
    hours.delete(hour);
    return hours;
  });
}

/** Adds the rows that wait to the sums of their hours, once there are many. */
export function sumHoursWhenMany(sql: SqlStorage, manyRows = ROWS_TO_SUM): void {
  const { unsummedRows: unfoldedRows, unsummedBytes: unfoldedBytes } = totalsOf(sql);
  if (unfoldedRows >= manyRows || unfoldedBytes >= BYTES_TO_SUM) sumHours(sql);
}

function sumHours(sql: SqlStorage): void {
  const { summedSeq: folded } = totalsOf(sql);
  const rows = sql
    .exec<BatchRow>("SELECT * FROM refusal_batches WHERE seq > ? ORDER BY seq", folded)
    .toArray();
  const last = rows.at(-1);
  if (last === undefined) return;
  for (const [hour, own] of Map.groupBy(rows, (row) => hourOf(row.first_at))) {
    addToHour(sql, hour, own.map(batchOf));
  }
  sql.exec("UPDATE refusal_fold SET folded = ?", last.seq);
  setTotals(sql, { summedSeq: last.seq, unsummedRows: 0, unsummedBytes: 0 });
}
