import type { Webhook } from "../../contract/resources/webhooks.ts";
import type { WebhookFormat } from "../../contract/webhook-formats.ts";
import type { View } from "../kernel/door.ts";
import { headOf } from "./queue.ts";
import { hasOwnSecret } from "./secrets.ts";

export type SubscriptionRow = {
  id: string;
  /** Of a format of a product, only what may be shown of it. */
  url: string;
  events: string;
  description: string | null;
  /** Null while it is enabled. */
  disabled_reason: Webhook["disabled_reason"];
  created_at: number;
  updated_at: number;
  format: WebhookFormat;
  /** What `url` does not show. Null for our own format. */
  sealed: string | null;
};

export function loadSubscription(sql: SqlStorage, id: string): SubscriptionRow | null {
  return (
    sql.exec<SubscriptionRow>("SELECT * FROM webhook_subscriptions WHERE id = ?", id).toArray()[0] ?? null
  );
}

export function enabledSubscriptions(sql: SqlStorage): SubscriptionRow[] {
  return sql
    .exec<SubscriptionRow>("SELECT * FROM webhook_subscriptions WHERE disabled_reason IS NULL ORDER BY id")
    .toArray();
}

export function countSubscriptions(sql: SqlStorage): number {
  return sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM webhook_subscriptions").one().n;
}

export function saveSubscription(sql: SqlStorage, row: SubscriptionRow): void {
  sql.exec(
    `INSERT INTO webhook_subscriptions (id, url, events, description, disabled_reason, created_at, updated_at, format, sealed)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET url = excluded.url, events = excluded.events,
       description = excluded.description, disabled_reason = excluded.disabled_reason,
       updated_at = excluded.updated_at, format = excluded.format, sealed = excluded.sealed`,
    row.id,
    row.url,
    row.events,
    row.description,
    row.disabled_reason,
    row.created_at,
    row.updated_at,
    row.format,
    row.sealed,
  );
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

export function toWebhook(view: Pick<View, "sql">, row: SubscriptionRow): Webhook {
  return {
    id: row.id,
    format: row.format,
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
