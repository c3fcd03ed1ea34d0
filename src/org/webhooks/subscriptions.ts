import type { Webhook } from "../../contract/resources/webhooks.ts";
import type { SentFormat } from "../../contract/webhook-formats.ts";
import { matchesEvent } from "../../contract/event-kinds.ts";
import { saveRow } from "../../storage/rows.ts";
import { TransactionalCache } from "../../storage/transactional-cache.ts";
import { DUE } from "../kernel/due-kinds.ts";
import type { Tx, View } from "../kernel/door.ts";
import { isConfirmed } from "../emails/addresses.ts";
import { headOf } from "./queue.ts";
import { hasOwnSecret } from "./secrets.ts";

export type SubscriptionRow = {
  id: string;
  /** The URL or, for a format of a product, only what may be shown of it. */
  url: string;
  events: string;
  description: string | null;
  /** Null while it is enabled. */
  disabled_reason: Webhook["disabled_reason"];
  created_at: number;
  updated_at: number;
  format: SentFormat;
  /** The part of the address that `url` does not show. Null for our own format. */
  sealed: string | null;
};

export function loadSubscription(sql: SqlStorage, id: string): SubscriptionRow | null {
  return (
    sql.exec<SubscriptionRow>("SELECT * FROM webhook_subscriptions WHERE id = ?", id).toArray()[0] ?? null
  );
}

const enabled = new TransactionalCache<readonly SubscriptionRow[]>();

/** Kept in memory, because every event asks who wants it. */
export function enabledSubscriptions(sql: SqlStorage): readonly SubscriptionRow[] {
  return enabled.get(sql, () =>
    sql
      .exec<SubscriptionRow>("SELECT * FROM webhook_subscriptions WHERE disabled_reason IS NULL ORDER BY id")
      .toArray(),
  );
}

/** Whoever changes stored subscriptions calls it. */
export function forgetSubscriptions(sql: SqlStorage): void {
  enabled.forget(sql);
}

export function saveSubscription(sql: SqlStorage, row: SubscriptionRow): void {
  saveRow(sql, "webhook_subscriptions", row);
  forgetSubscriptions(sql);
}

/** Unusual spend is looked for once somebody wants to hear of it. */
export function watchFor(tx: Tx, row: SubscriptionRow): void {
  if (row.disabled_reason === null && matchesEvent(patternsOf(row), "spend.unusual")) {
    tx.schedule(DUE.unusual, "", tx.now);
  }
}

const MAILTO = "mailto:";

/** Returns what is stored of who gets the mails. */
export const mailtoOf = (addresses: readonly string[]): string =>
  `${MAILTO}${[...new Set(addresses)].join(",")}`;

/** Returns who gets the mails of a subscription, confirmed or not. */
export function recipientsOf({ format, url }: SubscriptionRow): string[] {
  return format === "email" ? url.slice(MAILTO.length).split(",") : [];
}

/** Returns the recipients who have confirmed that they want mails, and have not unsubscribed since. */
export function confirmedRecipients(sql: SqlStorage, row: SubscriptionRow): string[] {
  return recipientsOf(row).filter(
    (address) => isConfirmed(sql, address) && !isUnsubscribed(sql, row.id, address),
  );
}

export function isUnsubscribed(sql: SqlStorage, subscriptionId: string, address: string): boolean {
  const found = sql.exec(
    "SELECT 1 FROM email_unsubscribed WHERE subscription_id = ? AND address = ?",
    subscriptionId,
    address,
  );
  return found.toArray().length > 0;
}

export function patternsOf(row: SubscriptionRow): string[] {
  return JSON.parse(row.events) as string[];
}

/** Disabled because of failures, or with a delivery that failed at least once and is tried again. */
export function isFailing(sql: SqlStorage, { id, disabled_reason }: SubscriptionRow): boolean {
  if (disabled_reason !== null) return disabled_reason !== "requested";
  return (headOf(sql, id)?.attempts ?? 0) > 0;
}

/** Products verify messages by their address alone. */
function schemeOf(sql: SqlStorage, { id, format }: SubscriptionRow): Webhook["signing_scheme"] {
  if (format !== "sluice") return "none";
  return hasOwnSecret(sql, id) ? "v2" : "v1";
}

/** Enabled ones whose receivers fail, and which are tried again. */
export function countRetried(sql: SqlStorage): number {
  return enabledSubscriptions(sql).filter((row) => isFailing(sql, row)).length;
}

export function toWebhook(view: Pick<View, "sql">, row: SubscriptionRow): Webhook {
  return {
    id: row.id,
    kind: row.format === "email" ? "email" : "webhook",
    format: row.format,
    to: recipientsOf(row).map((address) => ({
      address,
      confirmed: isConfirmed(view.sql, address),
      unsubscribed: isUnsubscribed(view.sql, row.id, address),
    })),
    url: row.url,
    events: patternsOf(row),
    description: row.description,
    status: row.disabled_reason === null ? "enabled" : "disabled",
    disabled_reason: row.disabled_reason,
    failing: isFailing(view.sql, row),
    signing_scheme: schemeOf(view.sql, row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
