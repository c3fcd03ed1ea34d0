import type { SchemaStep } from "../../storage/schema-step.ts";

/** `webhook_fan_outs` has events that are yet to be queued for a subscription, if there are too many for one transaction. */
export const WEBHOOK_STEPS: readonly SchemaStep[] = [
  {
    name: "webhooks/1",
    sql: `CREATE TABLE webhook_subscriptions (
      id TEXT PRIMARY KEY,
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      description TEXT,
      disabled_reason TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE webhook_secrets (
      seq INTEGER PRIMARY KEY,
      owner TEXT NOT NULL,
      sealed TEXT NOT NULL,
      last4 TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER
    ) STRICT;
    CREATE INDEX webhook_secrets_owner ON webhook_secrets (owner, seq);
    CREATE TABLE webhook_deliveries (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      subscription_id TEXT NOT NULL,
      event_id TEXT NOT NULL,
      event_type TEXT NOT NULL,
      status TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      next_attempt_at INTEGER,
      attempt_log TEXT NOT NULL,
      replay_of TEXT,
      created_at INTEGER NOT NULL,
      completed_at INTEGER
    ) STRICT;
    CREATE INDEX webhook_deliveries_queue ON webhook_deliveries (subscription_id, seq) WHERE status = 'pending';
    CREATE INDEX webhook_deliveries_log ON webhook_deliveries (subscription_id, seq);
    CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
    CREATE TABLE webhook_fan_outs (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      subscription_id TEXT NOT NULL,
      event_type TEXT NOT NULL,
      first_event INTEGER NOT NULL,
      last_event INTEGER NOT NULL
    ) STRICT`,
  },
];
