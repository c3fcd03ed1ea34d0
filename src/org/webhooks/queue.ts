import { DUE } from "../kernel/due-kinds.ts";
import type { EventKind } from "../../contract/event-kinds.ts";
import type { AttemptEntry, Delivery } from "../../contract/resources/webhooks.ts";
import type { MessageGroup } from "../../domain/message/message-group.ts";
import { newId } from "../../domain/bytes/ulid.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { runInParts, jsonRows } from "../../storage/json-rows.ts";
import { iso } from "../../domain/time/iso.ts";

/**
 * Each subscription has its own queue, in order of creation. Its head is tried until it succeeds or is given up, and
 * the rest waits. A queue that is not empty and not disabled has one due row.
 */
export type DeliveryRow = {
  seq: number;
  id: string;
  subscription_id: string;
  event_id: string;
  event_type: EventKind;
  status: Delivery["status"];
  attempts: number;
  next_attempt_at: number | null;
  attempt_log: string;
  replay_of: string | null;
  created_at: number;
  completed_at: number | null;
  /** Messages with the same key are about the same limit and window. Null if it stands for itself. */
  fold_key: string | null;
  fold_stage: string | null;
  /** How many more events it stands for. */
  folded: number;
  /** The limit whose incident it ends. Null if it begins one, or is none. */
  resolves: string | null;
  /** JSON: addresses that got this mail, while others did not. */
  mailed: string | null;
};

export interface QueuedEvent {
  readonly id: string;
  readonly type: EventKind;
}

export function headOf(sql: SqlStorage, subscriptionId: string): DeliveryRow | null {
  const head = sql.exec<DeliveryRow>(
    "SELECT * FROM webhook_deliveries WHERE subscription_id = ? AND status = 'pending' ORDER BY seq LIMIT 1",
    subscriptionId,
  );
  return head.toArray()[0] ?? null;
}

export function loadDelivery(sql: SqlStorage, subscriptionId: string, id: string): DeliveryRow | null {
  const rows = sql.exec<DeliveryRow>(
    "SELECT * FROM webhook_deliveries WHERE subscription_id = ? AND id = ?",
    subscriptionId,
    id,
  );
  return rows.toArray()[0] ?? null;
}

/** A delivery to queue. */
interface NewDelivery {
  readonly now: number;
  readonly subscriptionId: string;
  readonly event: QueuedEvent;
  readonly replayOf?: string;
  readonly group?: MessageGroup & { readonly folded: number };
  readonly resolves?: string | null;
}

export function enqueue(sql: SqlStorage, queued: NewDelivery): string {
  const { now, subscriptionId, event, group: fold, resolves = null } = queued;
  const id = newId("dlv", now);
  if (headOf(sql, subscriptionId) === null) scheduleDue(sql, DUE.delivery, subscriptionId, now);
  sql.exec(
    `INSERT INTO webhook_deliveries
       (id, subscription_id, event_id, event_type, status, attempts, next_attempt_at, attempt_log, replay_of, created_at,
        fold_key, fold_stage, folded, resolves)
     VALUES (?, ?, ?, ?, 'pending', 0, ?, '[]', ?, ?, ?, ?, ?, ?)`,
    id,
    subscriptionId,
    event.id,
    event.type,
    now,
    queued.replayOf ?? null,
    now,
    fold?.key ?? null,
    fold?.stage ?? null,
    fold?.folded ?? 0,
    resolves,
  );
  return id;
}

interface NewDeliveries {
  readonly now: number;
  readonly subscriptionId: string;
  readonly type: EventKind;
  readonly eventIds: readonly string[];
}

/** Many events of one kind, in order. */
export function enqueueAll(sql: SqlStorage, { now, subscriptionId, type, eventIds }: NewDeliveries): void {
  if (headOf(sql, subscriptionId) === null) scheduleDue(sql, DUE.delivery, subscriptionId, now);
  const rows = eventIds.map((eventId) => [newId("dlv", now), eventId]);
  runInParts(rows, (json) =>
    sql.exec(
      `INSERT INTO webhook_deliveries
         (id, subscription_id, event_id, event_type, status, attempts, next_attempt_at, attempt_log, created_at)
       SELECT row ->> 0, ?2, row ->> 1, ?3, 'pending', 0, ?4, '[]', ?4 FROM ${jsonRows("?1")}`,
      json,
      subscriptionId,
      type,
      now,
    ),
  );
}

/** Tries the head now, whatever its schedule. */
export function retryHeadNow(sql: SqlStorage, now: number, subscriptionId: string): void {
  const head = headOf(sql, subscriptionId);
  if (head === null) return;
  sql.exec("UPDATE webhook_deliveries SET next_attempt_at = ? WHERE id = ?", now, head.id);
  scheduleDue(sql, DUE.delivery, subscriptionId, now);
}

export function attemptsOf(row: DeliveryRow): AttemptEntry[] {
  return JSON.parse(row.attempt_log) as AttemptEntry[];
}

export function toDelivery(row: DeliveryRow): Delivery {
  const log = attemptsOf(row);
  const last = log.at(-1);
  return {
    id: row.id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.status,
    attempts: row.attempts,
    response_status: last?.response_status ?? null,
    latency_ms: last?.latency_ms ?? null,
    error: last?.error ?? null,
    next_attempt_at: iso(row.next_attempt_at),
    replay_of: row.replay_of,
    created_at: iso(row.created_at),
    completed_at: iso(row.completed_at),
    attempt_log: log,
  };
}
