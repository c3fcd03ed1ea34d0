import { DAY_MS, HOUR_MS } from "../../contract/durations.ts";
import { KEPT } from "../../contract/kept-refusals.ts";
import { type RefusalBatch, writeBatch } from "../../domain/refusal/batch.ts";
import type { RefusalNote } from "../../domain/refusal/note.ts";
import { hourOf, type RefusalSum } from "../../domain/refusal/sums.ts";
import type { View } from "../kernel/door.ts";
import { MOST_BOUND_CHARACTERS } from "../../storage/json-rows.ts";
import { noteDeletedRefusals, noteLateRefusals, scheduleSpans, spanExports } from "../span-exports/state.ts";
import { addToHour, sumHoursWhenMany } from "./hours.ts";
import { type BatchRow, insertBatch, lastAtOf, setTotals, totalsOf } from "./store.ts";
import { cached } from "../../domain/cache/cached.ts";

/** The maximum number of rows. The oldest above it are deleted. */
const MOST_BYTES = 67_108_864;
/** The maximum that one call deletes. */
const ROWS_AT_ONCE = 200;

/** Stores refusals, in one row or one for each hour. The caller's transaction makes it atomic. */
export function keepRefusals({ sql, now }: Pick<View, "sql" | "now">, { notes, more }: RefusalBatch): void {
  const hasSpans = spanExports(sql).length > 0;
  const past = notes.map(({ parent = null, ...note }) => ({
    ...note,
    // The clock of an isolate may be ahead of this one.
    at: Math.min(note.at, now),
    // Stored only where it is sent on.
    ...(hasSpans ? { parent } : {}),
  }));
  const sums = more.map((sum) => (sum.hour > now ? { ...sum, hour: hourOf(now) } : sum));
  const byHour = new Map<number, { notes: RefusalNote[]; more: RefusalSum[] }>();
  const of = (hour: number) => cached(byHour, hour, () => ({ notes: [], more: [] }));
  for (const note of past) of(hourOf(note.at)).notes.push(note);
  for (const sum of sums) of(sum.hour).more.push(sum);
  for (const [hour, batch] of byHour) keepHour(sql, now, hour, batch);
  scheduleSpans(sql, now);
  sumHoursWhenMany(sql);
  trim(sql, now, Number.POSITIVE_INFINITY);
}

function keepHour(sql: SqlStorage, now: number, hour: number, batch: RefusalBatch): void {
  const body = JSON.stringify(writeBatch(batch));
  if (body.length > MOST_BOUND_CHARACTERS && batch.notes.length > 1) {
    const half = Math.ceil(batch.notes.length / 2);
    keepHour(sql, now, hour, { notes: batch.notes.slice(0, half), more: [] });
    keepHour(sql, now, hour, { notes: batch.notes.slice(half), more: batch.more });
    return;
  }
  const times = batch.notes.map(({ at }) => at);
  const end = Math.min(now, hour + HOUR_MS - 1);
  const firstAt = times.reduce((one, other) => Math.min(one, other), end);
  const lastAt = batch.more.length > 0 ? end : times.reduce((one, other) => Math.max(one, other), hour);
  const seq = insertBatch(sql, { firstAt, lastAt, notes: batch.notes.length, body });
  noteLateRefusals(sql, seq);
  // The sums of its hour already include a later row.
  if (seq <= totalsOf(sql).summedSeq) addToHour(sql, hour, [batch]);
}

/**
 * Deletes what is above the bounds or older than this many days. Only refusals that are in the sums of their hour may
 * be deleted. True if there may be more.
 */
function trim(sql: SqlStorage, now: number, days: number): boolean {
  const known = totalsOf(sql);
  if (known.notes <= KEPT.most && known.bytes <= MOST_BYTES && !isFirstOlder(sql, now, days)) return false;
  const rows = sql
    .exec<Pick<BatchRow, "seq" | "notes" | "bytes">>(
      "SELECT seq, notes, bytes FROM refusal_batches WHERE seq <= ? ORDER BY seq LIMIT ?",
      known.summedSeq,
      ROWS_AT_ONCE,
    )
    .toArray();
  let { notes, bytes } = known;
  let last: number | null = null;
  for (const row of rows) {
    const isOver = notes > KEPT.most || bytes > MOST_BYTES || isOlder(row.seq, now, days);
    const isSpare = notes - row.notes >= KEPT.least || isOlder(row.seq, now, KEPT.longestDays);
    if (!isOver || !isSpare) break;
    notes -= row.notes;
    bytes -= row.bytes;
    last = row.seq;
  }
  if (last === null) return false;
  const end = last;
  noteDeletedRefusals(
    sql,
    rows.filter(({ seq }) => seq <= end),
  );
  sql.exec("DELETE FROM refusal_batches WHERE seq <= ?", last);
  setTotals(sql, { notes, bytes });
  return last === rows.at(-1)?.seq;
}

function isFirstOlder(sql: SqlStorage, now: number, days: number): boolean {
  if (days === Number.POSITIVE_INFINITY) return false;
  const { seq } = sql.exec<{ seq: number | null }>("SELECT MIN(seq) AS seq FROM refusal_batches").one();
  return seq !== null && isOlder(seq, now, days);
}

function isOlder(seq: number, now: number, days: number): boolean {
  return lastAtOf(seq) < now - days * DAY_MS;
}

/** Deletes sums and refusals that are too old. True if there may be more. */
export function sweepRefusals({ sql, now }: Pick<View, "sql" | "now">): boolean {
  const { unsummedRows: unfoldedRows } = totalsOf(sql);
  if (unfoldedRows > 0 && isFirstOlder(sql, now, KEPT.days)) sumHoursWhenMany(sql, 1);
  sql.exec("DELETE FROM refusal_hours WHERE hour < ?", hourOf(now) - KEPT.longestDays * DAY_MS);
  return trim(sql, now, KEPT.days);
}
