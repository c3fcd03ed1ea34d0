/**
 * Of a format of a product, `url` is what may be shown of an address, and `sealed` has it encrypted. `fold_key` and `fold_stage` are of
 * messages that stand for many events; `folded` counts those. `resolves` is the incident that a delivery ends, and
 * `webhook_incidents` has what is to end by itself.
 * `webhook_fan_outs` has events that are yet to be queued for a subscription, if there are too many for one transaction.
 */
export const WEBHOOK_STEPS = {
  "webhooks/1": `CREATE TABLE webhook_subscriptions (
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
  "webhooks/2": `ALTER TABLE webhook_subscriptions ADD COLUMN format TEXT NOT NULL DEFAULT 'sluice';
    ALTER TABLE webhook_subscriptions ADD COLUMN sealed TEXT;
    ALTER TABLE webhook_deliveries ADD COLUMN fold_key TEXT;
    ALTER TABLE webhook_deliveries ADD COLUMN fold_stage TEXT;
    ALTER TABLE webhook_deliveries ADD COLUMN folded INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE webhook_deliveries ADD COLUMN resolves TEXT;
    CREATE INDEX webhook_deliveries_fold ON webhook_deliveries (subscription_id, fold_key) WHERE fold_key IS NOT NULL;
    CREATE TABLE webhook_incidents (
      subscription_id TEXT NOT NULL,
      incident TEXT NOT NULL,
      event_id TEXT NOT NULL,
      event_type TEXT NOT NULL,
      amount TEXT,
      ends_at INTEGER,
      PRIMARY KEY (subscription_id, incident)
    ) STRICT, WITHOUT ROWID`,
  // Each address gets a mail of its own: `mailed` has those of a delivery that got theirs. Addresses that want no more mails
  // of a subscription stay named in it.
  "webhooks/3": `ALTER TABLE webhook_deliveries ADD COLUMN mailed TEXT;
    CREATE TABLE email_unsubscribed (
      subscription_id TEXT NOT NULL,
      address TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (subscription_id, address)
    ) STRICT, WITHOUT ROWID`,
};
