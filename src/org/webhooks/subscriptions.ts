import type { Webhook } from "../../contract/resources/webhooks.ts";
import type { View } from "../kernel/door.ts";
import { headOf } from "./queue.ts";
import { hasOwnSecret } from "./secrets.ts";

export type SubscriptionRow = {
  id: string;
  url: string;
  events: string;
  description: string | null;
  /** Null while it is enabled. */
  disabled_reason: Webhook["disabled_reason"];
  created_at: number;
  updated_at: number;
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
    `INSERT INTO webhook_subscriptions (id, url, events, description, disabled_reason, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET url = excluded.url, events = excluded.events,
       description = excluded.description, disabled_reason = excluded.disabled_reason,
       updated_at = excluded.updated_at`,
    row.id,
    row.url,
    row.events,
    row.description,
    row.disabled_reason,
    row.created_at,
    row.updated_at,
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

export function toWebhook(view: Pick<View, "sql">, row: SubscriptionRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: patternsOf(row),
    description: row.description,
    status: row.disabled_reason === null ? "enabled" : "disabled",
    disabled_reason: row.disabled_reason,
    failing: isFailing(view.sql, row),
    signing_scheme: hasOwnSecret(view.sql, row.id) ? "v2" : "v1",
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
