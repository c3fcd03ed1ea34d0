import { DUE } from "../kernel/due-kinds.ts";
import { invalidField, isRefusal, refuse } from "../../contract/refusal.ts";
import type { Webhook, WebhookChange } from "../../contract/resources/webhooks.ts";
import type { SentFormat } from "../../contract/webhook-formats.ts";
import { PAGERDUTY_URL } from "../../domain/message/address.ts";
import { command, done, type Tx, type View } from "../kernel/door.ts";
import { addressOf, mailAddress, storedAddress } from "./address.ts";
import { forgetFanOuts } from "./fan-out.ts";
import { retryHeadNow } from "./queue.ts";
import { forgetIncidents } from "./incidents.ts";
import { addSecret, dropSecrets, hasOwnSecret, ORG_OWNER } from "./secrets.ts";
import {
  forgetSubscriptions,
  loadSubscription,
  saveSubscription,
  watchFor,
  type SubscriptionRow,
  toWebhook,
} from "./subscriptions.ts";
import { readList, readOne } from "../kernel/resource.ts";

export interface SubscriptionRef {
  readonly webhookId: string;
}

function current(view: View, { webhookId }: SubscriptionRef): Webhook | null {
  const row = loadSubscription(view.sql, webhookId);
  return row === null ? null : toWebhook(view, row);
}

export const getWebhook = readOne(current);

export const listWebhooks = readList((view) => ({
  table: "webhook_subscriptions",
  sort: { created_at: "created_at", url: "url" },
  filters: { status: "CASE WHEN disabled_reason IS NULL THEN 'enabled' ELSE 'disabled' END = ?" },
  toItem: (row: SubscriptionRow) => toWebhook(view, row),
}));

/** When it is enabled again, a webhook continues with its queue. */
export const changeWebhook = command({
  action: "webhook.updated",
  refuses: ["not_found", "validation_failed", "conflict"],
  current,
  run(tx, { webhookId, ...change }: SubscriptionRef & WebhookChange) {
    const before = loadSubscription(tx.sql, webhookId);
    if (before === null) return refuse("not_found");
    const wanted = change.status ?? (before.disabled_reason === null ? "enabled" : "disabled");
    const { format = before.format, url, routing_key: routingKey, to, ...rest } = change;
    const address = changedAddress(tx, before, { format, url, routingKey, to });
    if (isRefusal(address)) return address;
    const after: SubscriptionRow = {
      ...before,
      format,
      ...address,
      events: change.events === undefined ? before.events : JSON.stringify(change.events),
      description: change.description === undefined ? before.description : change.description,
      disabled_reason: wanted === "enabled" ? null : (before.disabled_reason ?? "requested"),
      updated_at: tx.now,
    };
    saveSubscription(tx.sql, after);
    watchFor(tx, after);
    if (wanted === "disabled") tx.schedule(DUE.delivery, webhookId, null);
    else if (before.disabled_reason !== null) retryHeadNow(tx.sql, tx.now, webhookId);
    if (format === "sluice" && !isSigned(tx.sql, webhookId)) addSecret(tx, webhookId, 0);
    const shown = {
      ...(format === before.format ? {} : { format }),
      ...(after.url === before.url ? {} : { url: after.url }),
    };
    return done(200, toWebhook(tx, after), { target: webhookId, detail: { ...rest, ...shown } });
  },
});

interface RequestedChange {
  readonly to: readonly string[] | undefined;
  readonly format: SentFormat;
  readonly url: string | undefined;
  readonly routingKey: string | undefined;
}

const ONLY_MAILS = "sends mails, which have neither a format nor an address. Create another webhook";

/** A secret that was stored for one format is never kept for another, which might show it. */
function changedAddress(
  tx: Tx,
  before: SubscriptionRow,
  { format, url: given, routingKey, to }: RequestedChange,
) {
  const isOther = format !== before.format;
  const url = !isOther && format !== "sluice" && given === before.url ? undefined : given;
  if (url !== undefined && /\/…|^mailto:/.test(url)) {
    return invalidField("url", "invalid_value", "must be the whole address");
  }
  if (before.format === "email") {
    if (isOther || url !== undefined || routingKey !== undefined)
      return invalidField("kind", "invalid_value", ONLY_MAILS);
    return to === undefined ? { url: before.url, sealed: null } : mailAddress(tx, to);
  }
  if (format === "email" || to !== undefined)
    return invalidField("to", "invalid_value", "is for kind email only");
  if (routingKey !== undefined && format !== "pagerduty") {
    return invalidField("routing_key", "invalid_value", "is for PagerDuty only");
  }
  if (isOther && format === "pagerduty" && routingKey === undefined) {
    return invalidField("routing_key", "required", "is required for PagerDuty");
  }
  if (isOther && format !== "pagerduty" && url === undefined) {
    return invalidField("url", "required", "is required with another format");
  }
  if (!isOther && url === undefined && routingKey === undefined) {
    return { url: before.url, sealed: before.sealed };
  }
  const kept = isOther ? { url: PAGERDUTY_URL, routingKey: null } : addressOf(tx, before);
  return storedAddress(tx, format, { url: url ?? kept.url, routingKey: routingKey ?? kept.routingKey });
}

function isSigned(sql: SqlStorage, webhookId: string): boolean {
  return hasOwnSecret(sql, webhookId) || hasOwnSecret(sql, ORG_OWNER);
}

/** With all that waits for it. */
export function removeSubscription(tx: Tx, webhookId: string): void {
  tx.sql.exec("DELETE FROM webhook_subscriptions WHERE id = ?", webhookId);
  forgetSubscriptions(tx.sql);
  tx.sql.exec("DELETE FROM webhook_deliveries WHERE subscription_id = ?", webhookId);
  tx.sql.exec("DELETE FROM email_unsubscribed WHERE subscription_id = ?", webhookId);
  forgetFanOuts(tx.sql, webhookId);
  dropSecrets(tx.sql, webhookId);
  forgetIncidents(tx, webhookId);
  tx.schedule(DUE.delivery, webhookId, null);
}

export const deleteWebhook = command({
  action: "webhook.deleted",
  refuses: ["not_found"],
  current,
  run(tx, { webhookId }: SubscriptionRef) {
    const row = loadSubscription(tx.sql, webhookId);
    if (row === null) return refuse("not_found");
    removeSubscription(tx, webhookId);
    return done(204, null, { target: webhookId, detail: { url: row.url } });
  },
});
