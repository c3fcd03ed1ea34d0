import type { EventKind } from "../../contract/event-kinds.ts";
import { messageGroupOf } from "../../domain/message/message-group.ts";
import type { EventData } from "../../domain/message/event-data.ts";
import { openIncident } from "./incidents.ts";
import { type DeliveryRow, enqueue, enqueueAll } from "./queue.ts";
import { confirmedRecipients, type SubscriptionRow } from "./subscriptions.ts";

/** An event with what it says. */
export interface FullEvent {
  readonly id: string;
  readonly data: EventData;
}

interface EventBatch {
  readonly now: number;
  readonly type: EventKind;
  readonly events: readonly FullEvent[];
}

/** Queues events for a subscription: each in our own format, and otherwise one message for all that belong together. */
export function enqueueEvents(
  sql: SqlStorage,
  subscription: SubscriptionRow,
  { now, type, events }: EventBatch,
): void {
  const { id: subscriptionId, format } = subscription;
  if (format === "sluice") {
    enqueueAll(sql, { now, subscriptionId, type, eventIds: events.map(({ id }) => id) });
    return;
  }
  if (format === "email" && confirmedRecipients(sql, subscription).length === 0) return;
  const groups = Map.groupBy(events, ({ id, data }) => {
    const fold = messageGroupOf(type, data, now);
    return fold === null ? id : JSON.stringify(fold);
  });
  for (const [first, ...others] of groups.values()) {
    if (first === undefined) continue;
    enqueueMessage(sql, { now, subscriptionId, type, event: first, others: others.length });
    if (format === "pagerduty") openIncident(sql, { now, subscriptionId, type, event: first });
  }
}

interface QueuedMessage {
  readonly now: number;
  readonly subscriptionId: string;
  readonly type: EventKind;
  readonly event: FullEvent;
  /** How many more events it stands for. */
  readonly others: number;
}

/**
 * One message for each limit, window and threshold. A message that was sent is not sent again; one that waits stands
 * for the new one, too, or gives way to it if that says more.
 */
function enqueueMessage(sql: SqlStorage, { now, subscriptionId, type, event, others }: QueuedMessage): void {
  const fold = messageGroupOf(type, event.data, now);
  const message = { now, subscriptionId, event: { id: event.id, type } };
  if (fold === null) {
    enqueue(sql, message);
    return;
  }
  const before = loadGroup(sql, subscriptionId, fold.key);
  const same = before.find(({ fold_stage }) => fold_stage === fold.stage);
  if (same !== undefined) {
    if (isUnsent(same)) {
      sql.exec("UPDATE webhook_deliveries SET folded = folded + ? WHERE seq = ?", others + 1, same.seq);
    }
    return;
  }
  for (const { seq } of before.filter(isUnsent)) {
    sql.exec(
      "UPDATE webhook_deliveries SET status = 'folded', next_attempt_at = NULL, completed_at = ? WHERE seq = ?",
      now,
      seq,
    );
  }
  enqueue(sql, { ...message, group: { ...fold, folded: others } });
}

type GroupedDelivery = Pick<DeliveryRow, "seq" | "status" | "attempts" | "fold_stage">;

const isUnsent = ({ status, attempts }: GroupedDelivery) => status === "pending" && attempts === 0;

/** A delivery that failed is as if it had not been: recovering queues its event again. */
function loadGroup(sql: SqlStorage, subscriptionId: string, key: string): GroupedDelivery[] {
  return sql
    .exec<GroupedDelivery>(
      `SELECT seq, status, attempts, fold_stage FROM webhook_deliveries
       WHERE subscription_id = ? AND fold_key = ? AND status <> 'failed'`,
      subscriptionId,
      key,
    )
    .toArray();
}
