import type { SchemaStep } from "../kernel/schema-step.ts";

export const MODEL_STEPS: readonly SchemaStep[] = [
  {
    name: "models/1",
    sql: `CREATE TABLE models (
      model TEXT PRIMARY KEY,
      input_nanos_per_mtok TEXT NOT NULL,
      output_nanos_per_mtok TEXT NOT NULL,
      regions TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  },
];
