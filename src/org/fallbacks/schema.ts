import type { SchemaStep } from "../../storage/schema-step.ts";

/** `rule` is JSON. */
export const FALLBACK_STEPS: readonly SchemaStep[] = [
  {
    name: "fallbacks/1",
    sql: `CREATE TABLE fallbacks (
      name TEXT PRIMARY KEY,
      rule TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  },
];
