import type { ListQuery } from "../../contract/list.ts";
import { refuse } from "../../contract/refusal.ts";
import { command, done, query, type Tx } from "../kernel/door.ts";
import { recordEvents } from "../kernel/events/append.ts";
import { listRows } from "../../storage/list-rows.ts";
import { enqueue, loadDelivery, retryHeadNow, toDelivery } from "./queue.ts";
import { confirmedRecipients, loadSubscription } from "./subscriptions.ts";
import type { SubscriptionRef } from "./change.ts";

export const listDeliveries = query({
  refuses: ["not_found"],
  run(view, { webhookId, list }: SubscriptionRef & { list: ListQuery }) {
    if (loadSubscription(view.sql, webhookId) === null) return refuse("not_found");
    return listRows(
      view.sql,
      {
        table: "webhook_deliveries",
        sort: { created_at: "seq" },
        isLog: true,
        filters: { status: "status = ?", event_type: "event_type = ?", event_id: "event_id = ?" },
        where: { sql: "subscription_id = ?", bindings: [webhookId] },
        toItem: toDelivery,
      },
      list,
    );
  },
});

export const getDelivery = query({
  refuses: ["not_found"],
  run({ sql }, { webhookId, deliveryId }: SubscriptionRef & { deliveryId: string }) {
    const row = loadDelivery(sql, webhookId, deliveryId);
    return row === null ? refuse("not_found") : toDelivery(row);
  },
});

function delivered(tx: Tx, webhookId: string, deliveryId: string) {
  const row = loadDelivery(tx.sql, webhookId, deliveryId);
  if (row === null) throw new Error(`delivery ${deliveryId} was not stored`);
  return done(200, toDelivery(row), { target: webhookId, detail: { delivery_id: deliveryId } });
}

export const refuseDisabled = () =>
  refuse(
    "conflict",
    {},
    { message: "This webhook is disabled. Enable it first by setting status to enabled." },
  );

/** One event for this webhook only, whatever kinds it subscribed to, through its queue like any other. */
export const pingWebhook = command({
  action: "webhook.tested",
  refuses: ["not_found", "conflict"],
  run(tx, { webhookId }: SubscriptionRef) {
    const subscription = loadSubscription(tx.sql, webhookId);
    if (subscription === null) return refuse("not_found");
    if (subscription.disabled_reason !== null) return refuseDisabled();
    if (subscription.format === "email" && confirmedRecipients(tx.sql, subscription).length === 0) {
      return refuse(
        "conflict",
        {},
        {
          message: "None of the addresses is confirmed and wants mails. Each was sent a link to confirm it.",
        },
      );
    }
    const [eventId = ""] = recordEvents(tx, "test.ping", [{ webhook_id: webhookId }]);
    const deliveryId = enqueue(tx.sql, {
      now: tx.now,
      subscriptionId: webhookId,
      event: { id: eventId, type: "test.ping" },
    });
    return delivered(tx, webhookId, deliveryId);
  },
});

/** A finished delivery is repeated as a new one of the same event. A pending one is attempted now. */
export const replayDelivery = command({
  action: "webhook.delivery_replayed",
  refuses: ["not_found", "conflict"],
  run(tx, { webhookId, deliveryId }: SubscriptionRef & { deliveryId: string }) {
    const row = loadDelivery(tx.sql, webhookId, deliveryId);
    if (row === null) return refuse("not_found");
    if (loadSubscription(tx.sql, webhookId)?.disabled_reason !== null) return refuseDisabled();
    if (row.status === "pending") {
      retryHeadNow(tx.sql, tx.now, webhookId);
      return delivered(tx, webhookId, deliveryId);
    }
    const event = { id: row.event_id, type: row.event_type };
    return delivered(
      tx,
      webhookId,
      enqueue(tx.sql, {
        now: tx.now,
        subscriptionId: webhookId,
        event,
        replayOf: deliveryId,
        resolves: row.resolves,
      }),
    );
  },
});
