import { saveRow } from "../../storage/rows.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { scheduleDue } from "../kernel/due/table.ts";

/** How far an export of spans has got. */
export type SpanState = {
  name: string;
  refusal_from: number;
  refusal_read_to: number;
  refusal_row: number | null;
  refusal_index: number;
  most: number;
  sent: number;
  rejected: number;
  dropped: number;
  sent_to: number;
  waiting_since: number | null;
  attempts: number;
  error: string | null;
  next_attempt_at: number | null;
};

/** Where an export goes on after a request. */
export interface SpanPlace {
  readonly run: number;
  readonly refusals: Pick<SpanState, "refusal_from" | "refusal_row" | "refusal_index" | "refusal_read_to">;
  /** Late rows that were sent whole. */
  readonly lateDone: readonly number[];
  /** The refusals that were passed over: they waited for too long, or are only counted. */
  readonly dropped: number;
}

/** Spans of so long are sent together. */
const TOGETHER_MS = 5_000;

const names = new TransactionalCache<readonly string[]>();

/** Nearly every org has none, which is then known without reading. */
export function spanExports(sql: SqlStorage): readonly string[] {
  return names.get(sql, () =>
    sql
      .exec<{ name: string }>("SELECT name FROM span_exports ORDER BY name")
      .toArray()
      .map(({ name }) => name),
  );
}

export function loadSpanState(sql: SqlStorage, name: string): SpanState {
  return sql.exec<SpanState>("SELECT * FROM span_exports WHERE name = ?", name).one();
}

export function saveSpanState(sql: SqlStorage, state: SpanState): void {
  names.forget(sql);
  saveRow(sql, "span_exports", state);
}

export function deleteSpanState(sql: SqlStorage, name: string): void {
  names.forget(sql);
  sql.exec("DELETE FROM span_exports WHERE name = ?", name);
  sql.exec("DELETE FROM late_refusals WHERE export = ?", name);
}

/** Has spans of what was just recorded sent soon, unless that is planned already. */
export function scheduleSpans(sql: SqlStorage, now: number): void {
  for (const name of spanExports(sql)) {
    const [row] = sql.exec("SELECT 1 FROM due WHERE kind = ? AND key = ?", DUE.export, name).toArray();
    if (row === undefined) scheduleDue(sql, DUE.export, name, now + TOGETHER_MS);
  }
}

/** Has a row of refusals sent, although it is before others that were sent or are on their way. */
export function noteLateRefusals(sql: SqlStorage, seq: number): void {
  if (spanExports(sql).length === 0) return;
  sql.exec(
    `INSERT INTO late_refusals (export, seq) SELECT name, ?1 FROM span_exports
     WHERE refusal_from > ?1 OR refusal_read_to >= ?1`,
    seq,
  );
}

/** Counts refusals that were deleted, because there are too many, before they were sent. */
export function noteDeletedRefusals(
  sql: SqlStorage,
  rows: readonly { readonly seq: number; readonly notes: number }[],
): void {
  if (spanExports(sql).length === 0) return;
  for (const { seq, notes } of rows) {
    sql.exec(
      `UPDATE span_exports SET dropped = dropped + ?2 - iif(refusal_row = ?1, refusal_index, 0)
       WHERE refusal_from <= ?1 OR name IN (SELECT export FROM late_refusals WHERE seq = ?1)`,
      seq,
      notes,
    );
  }
}
