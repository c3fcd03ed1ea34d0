import { MINUTE_MS } from "../../contract/durations.ts";
import { DUE } from "../kernel/due-kinds.ts";
import { beginWalk, walkOn } from "../../domain/audit/verify.ts";
import { nextSweep, purgeBefore, RUN_ID_KEPT_MS } from "../../domain/run/retention.ts";
import { readEnd, writeEnd } from "../kernel/audit/ends.ts";
import { AUDIT } from "../kernel/audit/log.ts";
import { linkReader } from "../kernel/audit/store.ts";
import type { EventRow } from "../kernel/events/log.ts";
import { EVENTS } from "../kernel/events/log.ts";
import { readInParts } from "../../storage/json-rows.ts";
import type { CheckpointedTx } from "../kernel/door.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import { isBeingRead } from "../backup/parts.ts";
import { findFirstUnexported } from "../exports/hold.ts";
import { followEmptiedLogs } from "../exports/logs.ts";
import { sweepRefusals } from "../refusals/commands.ts";
import { deleteRollups } from "../../storage/segments/rollups/table.ts";
import { deleteApart } from "../runs/long-metadata.ts";
import { tombstoneOf } from "../runs/purged-runs.ts";
import { forgetReplaced } from "../runs/replacements.ts";
import { restoreFile } from "../../storage/segments/archive/restore.ts";
import {
  deleteOldest,
  forgetTombstones,
  type OldestRows,
  oldestRows,
} from "../../storage/segments/retention.ts";
import { STATE } from "../../storage/segments/metadata.ts";
import { scheduleArchive } from "../runs/segment-work.ts";
import { Unreadable } from "../../storage/needs-fetch.ts";
import { runSegments } from "../runs/segments/segments.ts";
import type { RunRecord } from "../../domain/run/segment/record.ts";
import { loadRetention } from "./policy.ts";

/** The maximum that one step deletes of each kind. For runs, up to one segment more. */
const STEP = 2_000;
/**
 * Runs are read before they are deleted: at most this much per step, and at least one segment, because other calls wait
 * meanwhile.
 */
const STEP_BYTES = 1_048_576;

/** When to look again whether a backup was read. */
const READ_MS = 5 * MINUTE_MS;

/** Deletes what is due, in one bounded step for each kind. Counters and charges stay. */
export const sweepRetention: DueHandler = {
  kind: "change",
  run(tx, key) {
    const before = purgeBefore(loadRetention(tx.sql), tx.now);
    const kept = findFirstUnexported(tx.sql);
    const isCopied = isBeingRead(tx.sql);
    const taken =
      before === undefined
        ? []
        : [
            purgeRuns(tx, before.runs, isCopied ? 0 : kept?.run),
            purgeRows(tx, until(ADJUSTMENTS, kept?.adjustment), before.runs),
            purgeRows(tx, until(REPLACEMENTS, kept?.replacement), before.runs),
            purgeIds(tx),
            purgeRows(tx, DELIVERIES, before.deliveries),
            purgeEvents(tx, before.deliveries),
            purgeAudit(tx, before.audit),
            sweepRefusals(tx) ? STEP : 0,
          ];
    if (taken.some((count) => count > 0)) followEmptiedLogs(tx.sql);
    const wasFull = taken.some((count) => count === STEP);
    tx.schedule(DUE.retentionSweep, key, isCopied ? tx.now + READ_MS : nextSweep(tx.now, wasFull));
    if (wasFull) return;
    tx.schedule(DUE.usageSweep, "", tx.now);
    scheduleArchive(tx);
  },
};

type Source = Readonly<Record<"kind" | "table" | "at" | "where", string>>;

/** An adjustment is younger than its run, which is deleted by then. */
const ADJUSTMENTS: Source = { kind: "adjustments", table: "run_adjustments", at: "at", where: "true" };
const REPLACEMENTS: Source = { kind: "replacements", table: "run_replacements", at: "at", where: "true" };
/** Pending deliveries stay, except those for a disabled webhook. */
const DELIVERIES: Source = {
  kind: "deliveries",
  table: "webhook_deliveries",
  at: "created_at",
  where: `(status <> 'pending'
    OR subscription_id IN (SELECT id FROM webhook_subscriptions WHERE disabled_reason IS NOT NULL))`,
};
/** Rows are numbered in the order of writing: the oldest come first, and the first recent one ends the step. */
function purgeRows(tx: CheckpointedTx, { kind, table, at, where }: Source, before: number): number {
  const rows = tx.sql
    .exec<{ seq: number; at: number }>(
      `SELECT seq, ${at} AS at FROM ${table} WHERE ${where} ORDER BY seq LIMIT ?`,
      STEP,
    )
    .toArray();
  const old = upTo(rows, (row) => row.at >= before);
  const last = old.at(-1);
  if (last === undefined) return 0;
  tx.sql.exec(`DELETE FROM ${table} WHERE seq <= ? AND ${where}`, last.seq);
  note(tx, { kind, count: old.length, before });
  return old.length;
}

/**
 * An event is deleted with its last delivery. The newest stays: the next one is numbered from it, and readers keep
 * cursors.
 */
function purgeEvents(tx: CheckpointedTx, before: number): number {
  const log = EVENTS.stored(tx.sql);
  const newest = log.last?.seq ?? 0;
  const old: EventRow[] = [];
  let part: EventRow[] = [];
  const take = () => {
    old.push(...withoutDelivery(tx.sql, part).slice(0, STEP - old.length));
    part = [];
  };
  for (const row of log.after(0)) {
    if (row.seq === newest || row.created_at >= before || old.length === STEP) break;
    part.push(row);
    if (part.length === STEP) take();
  }
  take();
  if (old.length === 0) return 0;
  EVENTS.deleteRead(tx.sql, old);
  note(tx, { kind: "events", count: old.length, before });
  return old.length;
}

function withoutDelivery(sql: SqlStorage, events: readonly EventRow[]): EventRow[] {
  const ids = events.map(({ id }) => id);
  const rows = readInParts(ids, (json) =>
    sql.exec<{ id: string }>(
      `SELECT value AS id FROM json_each(?)
       WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d WHERE d.event_id = value)`,
      json,
    ),
  );
  const found = new Set(rows.map(({ id }) => id));
  return events.filter(({ id }) => found.has(id));
}

/** Without rows that an export has yet to write. */
function until(source: Source, keptFrom = Number.POSITIVE_INFINITY): Source {
  return Number.isFinite(keptFrom) ? { ...source, where: `seq < ${keptFrom}` } : source;
}

/**
 * A deleted run is still recognized by its id: if it is sent again, it is not charged again. Runs that an export has
 * yet to write are not deleted.
 */
function purgeRuns(tx: CheckpointedTx, before: number, keptFrom = Number.POSITIVE_INFINITY): number {
  const store = runSegments(tx.sql);
  let [count, bytes, isOver] = [0, 0, false];
  while (!isOver && count < STEP && bytes < STEP_BYTES) {
    const oldest = restoreOldest(tx, before, keptFrom) ? oldestRows(store, before, keptFrom) : NONE;
    deleteOldest(
      store,
      oldest.rows.map((run) => tombstoneOf(run, store.hashKey)),
    );
    deleteApart(tx.sql, oldest.rows);
    count += oldest.rows.length;
    bytes += oldest.bytes;
    isOver = !oldest.isWhole;
  }
  if (count > 0) {
    deleteRollups(store, store.firstHeld?.firstSeq ?? Number.MAX_SAFE_INTEGER);
    note(tx, { kind: "runs", count, before });
  }
  if (isOver) forgetReplaced(tx.sql, Math.min(before, store.recordedFrom));
  return isOver ? Math.min(count, STEP - 1) : STEP;
}

/**
 * Runs in a file are deleted once they are stored here again: what is left of each is read from it, and the file may have
 * younger ones. False if that is not possible now: nothing else waits for it. A file that an export has yet to read stays.
 */
function restoreOldest(tx: CheckpointedTx, before: number, keptFrom: number): boolean {
  const store = runSegments(tx.sql);
  const oldest = store.firstHeld;
  if (oldest?.state !== STATE.archived || oldest.recordedMin >= before || oldest.firstSeq >= keptFrom) {
    return true;
  }
  try {
    restoreFile(store, oldest.firstSeq);
    tx.schedule(DUE.runArchive, "", tx.now);
    return true;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const detail = { kind: "runs", reason: error.message };
    tx.record({ action: "retention.halted", target: null, outcome: "refused", detail });
    return false;
  }
}

const NONE: OldestRows<RunRecord> = { rows: [], bytes: 0, isWhole: false };

/** Old ids are deleted in whole segments. */
function purgeIds(tx: CheckpointedTx): number {
  const count = forgetTombstones(runSegments(tx.sql), tx.now - RUN_ID_KEPT_MS, STEP);
  return count >= STEP ? STEP : 0;
}

/**
 * The purge entry contains the hash of the last deleted entry, and verification starts there. Entries that someone
 * tampered with are evidence: they stay, and so does everything after them. The last entry always stays.
 */
function purgeAudit(tx: CheckpointedTx, before: number): number {
  const rows = AUDIT.stored(tx.sql)
    .some(0, STEP + 1)
    .slice(0, -1);
  const old = upTo(rows, (row) => row.at >= before);
  const last = old.at(-1);
  if (last === undefined) return 0;
  const toLink = linkReader(tx);
  const links = old.map((row) => toLink(row, null));
  const { breaks } = walkOn(beginWalk(readEnd(tx, "anchor")), links);
  if (breaks.length > 0) {
    tx.record({
      action: "retention.halted",
      target: null,
      outcome: "refused",
      detail: { kind: "audit", breaks },
    });
    return 0;
  }
  AUDIT.deleteRead(tx.sql, old);
  writeEnd(tx, "anchor", { seq: last.seq, hash: last.hash });
  note(tx, { kind: "audit", count: old.length, before, last: { seq: last.seq, hash: last.hash } });
  return old.length;
}

interface Purged {
  readonly kind: string;
  readonly count: number;
  readonly before: number;
  readonly last?: { readonly seq: number; readonly hash: string };
}

function note(tx: CheckpointedTx, { kind, count, before, last }: Purged): void {
  const end = last === undefined ? {} : { last_seq: last.seq, last_hash: last.hash };
  const detail = { kind, count, before: new Date(before).toISOString(), ...end };
  tx.record({ action: "retention.purged", target: null, outcome: "done", detail });
}

function upTo<T>(rows: readonly T[], stop: (row: T) => boolean): readonly T[] {
  const at = rows.findIndex((row) => stop(row));
  return at === -1 ? rows : rows.slice(0, at);
}
