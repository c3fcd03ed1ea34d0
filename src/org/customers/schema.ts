import type { SchemaStep } from "../../storage/schema-step.ts";

export const CUSTOMER_STEPS: readonly SchemaStep[] = [
  {
    name: "customers/1",
    sql: `CREATE TABLE customer_tokens (
      digest TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      customer_id TEXT NOT NULL,
      minted_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX customer_tokens_expiry ON customer_tokens (expires_at)`,
  },
];
