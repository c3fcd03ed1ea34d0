import type { SchemaStep } from "../schema-step.ts";

export const EVENT_STEPS: readonly SchemaStep[] = [
  {
    name: "events/1",
    sql: `CREATE TABLE events (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      data TEXT NOT NULL
    ) STRICT`,
  },
  // The trace of the request that caused it.
  { name: "events/2", sql: "ALTER TABLE events ADD COLUMN parent TEXT" },
];
