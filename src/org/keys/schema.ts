import type { SchemaStep } from "../schema-step.ts";

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
];
