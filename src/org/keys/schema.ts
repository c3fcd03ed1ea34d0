import type { SchemaStep } from "../kernel/schema-step.ts";

export const KEY_STEPS: readonly SchemaStep[] = [
  {
    name: "keys/1",
    sql: `CREATE TABLE keys (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      role TEXT NOT NULL,
      scopes TEXT NOT NULL,
      digest TEXT NOT NULL,
      last4 TEXT NOT NULL,
      previous_digest TEXT,
      previous_expires_at INTEGER,
      not_before INTEGER,
      expires_at INTEGER,
      revoked_at INTEGER,
      created_at INTEGER NOT NULL
    ) STRICT`,
  },
  {
    name: "keys/2",
    sql: `CREATE TABLE previous_secrets (
      key_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (key_id, digest)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO previous_secrets (key_id, digest, expires_at)
      SELECT id, previous_digest, previous_expires_at FROM keys
      WHERE previous_digest IS NOT NULL AND previous_expires_at IS NOT NULL;
    UPDATE keys SET previous_digest = NULL`,
  },
  {
    // By whom a key was minted: a key, or a person. Of keys from before, and of those that the operator made, it is nobody.
    name: "keys/3",
    sql: `ALTER TABLE keys ADD COLUMN minted_by TEXT;
    CREATE INDEX keys_minted_by ON keys (minted_by) WHERE minted_by IS NOT NULL`,
  },
  {
    // When a key was last used.
    name: "keys/4",
    sql: `CREATE TABLE key_uses (
      key_id TEXT PRIMARY KEY,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  },
];
