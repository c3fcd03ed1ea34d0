import { EVENT_KINDS, type EventKind, matchesEvent } from "../../contract/event-kinds.ts";
import { refuse } from "../../contract/refusal.ts";
import type { RecoveredDeliveries } from "../../contract/resources/webhooks.ts";
import { command, done, type CheckpointedTx } from "../kernel/door.ts";
import type { EventRow } from "../kernel/events/log.ts";
import { EVENTS } from "../kernel/events/log.ts";
import type { EventData } from "../../domain/message/event-data.ts";
import { readInParts } from "../../storage/json-rows.ts";
import { DELIVERIES_AT_ONCE } from "./fan-out.ts";
import { refuseDisabled } from "./log.ts";
import { enqueueEvents, type FullEvent } from "./messages.ts";
import { loadSubscription, patternsOf } from "./subscriptions.ts";

/** Looking at this many takes a fraction of a second. The object answers other calls before the next. */
const EVENTS_AT_ONCE = 20_000;

type MissedEvent = Pick<EventRow, "seq" | "id" | "type" | "created_at" | "data">;

/**
 * Queues what a webhook did not get since a time: deliveries that failed, and events from while it was disabled.
 * Deliveries that arrived or are still queued are left alone, so asking again queues nothing twice.
 */
export const recoverDeliveries = command({
  action: "webhook.recovered",
  refuses: ["not_found", "conflict"],
  run(tx, { webhookId, sinceMs: askedMs }: { webhookId: string; sinceMs: number }) {
    const subscription = loadSubscription(tx.sql, webhookId);
    if (subscription === null) return refuse("not_found");
    if (subscription.disabled_reason !== null) return refuseDisabled();
    const sinceMs = Math.max(askedMs, subscription.created_at);
    const patterns = patternsOf(subscription);
    // A test is for one webhook only, and a digest for those that it names.
    const kinds = EVENT_KINDS.filter(
      (kind) => kind !== "test.ping" && kind !== "digest.ready" && matchesEvent(patterns, kind),
    );
    const first = EVENTS.stored(tx.sql).firstSince(sinceMs);
    const end = first + EVENTS_AT_ONCE;
    const missed = missedBy(tx, webhookId, { kinds, first, end, sinceMs });
    const chosen = missed.slice(0, DELIVERIES_AT_ONCE);
    for (const { type, events } of alike(chosen)) {
      enqueueEvents(tx.sql, subscription, { now: tx.now, type, events });
    }
    const next = missed[DELIVERIES_AT_ONCE] ?? eventAt(tx, end);
    const body: RecoveredDeliveries = {
      queued: chosen.length,
      next_since: next === null ? null : new Date(next.created_at).toISOString(),
    };
    const since = new Date(sinceMs).toISOString();
    return done(200, body, { target: webhookId, detail: { since, queued: chosen.length } });
  },
});

interface Range {
  readonly kinds: readonly EventKind[];
  readonly first: number;
  readonly end: number;
  readonly sinceMs: number;
}

/** Up to one more than are queued. */
function missedBy(
  { sql }: CheckpointedTx,
  webhookId: string,
  { kinds, first, end, sinceMs }: Range,
): MissedEvent[] {
  const missed: MissedEvent[] = [];
  let sought: MissedEvent[] = [];
  const look = () => {
    missed.push(...undelivered(sql, webhookId, sought));
    sought = [];
  };
  for (const event of EVENTS.stored(sql).after(first - 1)) {
    if (event.seq >= end || missed.length > DELIVERIES_AT_ONCE) break;
    if (event.created_at < sinceMs || !kinds.includes(event.type)) continue;
    sought.push(event);
    if (sought.length > DELIVERIES_AT_ONCE) look();
  }
  look();
  return missed.slice(0, DELIVERIES_AT_ONCE + 1);
}

/** Returns those events that are neither delivered nor queued. */
function undelivered(sql: SqlStorage, webhookId: string, events: readonly MissedEvent[]): MissedEvent[] {
  const keys = events.map(({ seq, id, type }) => [seq, id, type]);
  const rows = readInParts(keys, (json) =>
    sql.exec<{ seq: number }>(
      `SELECT value ->> 0 AS seq FROM json_each(?2) AS e
       WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d
           WHERE d.event_id = e.value ->> 1 AND d.subscription_id = ?1 AND d.status <> 'failed')
         AND NOT EXISTS (SELECT 1 FROM webhook_fan_outs AS f WHERE f.subscription_id = ?1
           AND f.event_type = e.value ->> 2 AND e.value ->> 0 BETWEEN f.first_event AND f.last_event)`,
      webhookId,
      json,
    ),
  );
  const found = new Set(rows.map(({ seq }) => seq));
  return events.filter(({ seq }) => found.has(seq));
}

function eventAt({ sql }: CheckpointedTx, seq: number): MissedEvent | null {
  for (const event of EVENTS.stored(sql).after(seq - 1)) return event;
  return null;
}

/** Neighbours of one kind together, in order. */
function alike(missed: readonly MissedEvent[]): { type: EventKind; events: FullEvent[] }[] {
  const parts: { type: EventKind; events: FullEvent[] }[] = [];
  for (const { type, id, data } of missed) {
    const event = { id, data: JSON.parse(data) as EventData };
    const last = parts.at(-1);
    if (last?.type === type) last.events.push(event);
    else parts.push({ type, events: [event] });
  }
  return parts;
}
