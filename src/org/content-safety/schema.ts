import type { SchemaStep } from "../../storage/schema-step.ts";

export const SAFETY_STEPS: readonly SchemaStep[] = [
  {
    name: "safety/1",
    sql: `CREATE TABLE content_safety (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      detectors TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
  },
];
