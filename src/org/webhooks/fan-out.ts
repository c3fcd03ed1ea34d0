import { type EventKind, matchesEvent } from "../../contract/event-kinds.ts";
import type { EventData } from "../../domain/message/event-data.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { checkpoint, type CheckpointedSql } from "../../storage/transaction.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { DueHandler } from "../kernel/due/handler.ts";
import type { NewEvents } from "../kernel/door.ts";
import { scheduleDue } from "../kernel/due/table.ts";
import { findEvent } from "../kernel/events/find.ts";
import { EVENTS } from "../kernel/events/log.ts";
import { enqueueEvents, type FullEvent } from "./messages.ts";
import { enabledSubscriptions, loadSubscription, patternsOf, type SubscriptionRow } from "./subscriptions.ts";

/**
 * A batch of a thousand runs may cause as many events, each for every subscription. This many deliveries are queued in
 * one transaction. If there are more, a row for each subscription stands for them, and due work queues them in steps of
 * this size. The object answers other calls in between.
 */
export const DELIVERIES_AT_ONCE = 1500;

/** Events that one subscription has yet to get, from the first to the last by their position in the log. */
type FanOutRow = {
  seq: number;
  subscription_id: string;
  event_type: EventKind;
  first_event: number;
  last_event: number;
};

/** Subscriptions with such rows: later events wait behind those, so that each gets its events in order. */
const waiting = new TransactionalCache<ReadonlySet<string>>();

/** Queues events of one kind for every subscription to it, with the change that caused them. */
export function fanOut(sql: SqlStorage, now: number, type: EventKind, { ids, data }: NewEvents): void {
  const hearers = subscribersTo(sql, type);
  const isMany = hearers.length * ids.length > DELIVERIES_AT_ONCE;
  const behind = waiting.get(sql, () => readWaiting(sql));
  const later: string[] = [];
  for (const hearer of hearers) {
    if (isMany || behind.has(hearer.id)) later.push(hearer.id);
    else
      enqueueEvents(sql, hearer, {
        now,
        type,
        events: ids.map((id, at) => ({ id, data: (data[at] ?? {}) as EventData })),
      });
  }
  if (later.length > 0) queueLater(sql, { now, type, ids, subscriptions: later });
}

/** The subscriptions that get events of a kind. */
export function subscribersTo(sql: SqlStorage, type: EventKind): SubscriptionRow[] {
  return enabledSubscriptions(sql).filter((subscription) => matchesEvent(patternsOf(subscription), type));
}

interface LaterEvents {
  readonly now: number;
  readonly type: EventKind;
  readonly ids: readonly string[];
  readonly subscriptions: readonly string[];
}

/** Events of one change have consecutive positions. */
function queueLater(sql: SqlStorage, { now, type, ids, subscriptions }: LaterEvents): void {
  const tables = checkpoint(sql);
  sql.exec(
    `INSERT INTO webhook_fan_outs (subscription_id, event_type, first_event, last_event)
     SELECT value, ?2, ?3, ?4 FROM json_each(?1)`,
    JSON.stringify(subscriptions),
    type,
    findEvent(tables, ids[0] ?? "").seq,
    findEvent(tables, ids.at(-1) ?? "").seq,
  );
  waiting.forget(sql);
  scheduleDue(sql, DUE.fanOut, "", now);
}

/** A subscription that is deleted gets nothing more. */
export function forgetFanOuts(sql: SqlStorage, subscriptionId: string): void {
  sql.exec("DELETE FROM webhook_fan_outs WHERE subscription_id = ?", subscriptionId);
  waiting.forget(sql);
}

/** Queues the next deliveries, oldest events first. While there are more, it is due again at once. */
export const fanOutInSteps: DueHandler = {
  kind: "change",
  run(tx) {
    const { sql, now } = tx;
    let left = DELIVERIES_AT_ONCE;
    for (let row = oldest(sql); row !== null; row = oldest(sql)) {
      if (left === 0) {
        tx.schedule(DUE.fanOut, "", now);
        break;
      }
      left -= queueSome(sql, now, row, left);
    }
    waiting.forget(sql);
  },
};

/** How many were queued. */
function queueSome(sql: CheckpointedSql, now: number, row: FanOutRow, most: number): number {
  const { seq, subscription_id: subscription, event_type: type, first_event: first, last_event: last } = row;
  const end = Math.min(last, first + most - 1);
  const events: FullEvent[] = [];
  for (const event of EVENTS.stored(sql).after(first - 1)) {
    if (event.seq > end) break;
    events.push({ id: event.id, data: JSON.parse(event.data) as EventData });
  }
  const hearer = loadSubscription(sql, subscription);
  if (events.length > 0 && hearer !== null) enqueueEvents(sql, hearer, { now, type, events });
  if (end === last) sql.exec("DELETE FROM webhook_fan_outs WHERE seq = ?", seq);
  else sql.exec("UPDATE webhook_fan_outs SET first_event = ? WHERE seq = ?", end + 1, seq);
  return end - first + 1;
}

function oldest(sql: SqlStorage): FanOutRow | null {
  return sql.exec<FanOutRow>("SELECT * FROM webhook_fan_outs ORDER BY seq LIMIT 1").toArray()[0] ?? null;
}

function readWaiting(sql: SqlStorage): ReadonlySet<string> {
  const rows = sql.exec<{ id: string }>("SELECT DISTINCT subscription_id AS id FROM webhook_fan_outs");
  return new Set(rows.toArray().map(({ id }) => id));
}
