import type { SchemaStep } from "../../../storage/schema-step.ts";

export const DUE_STEPS: readonly SchemaStep[] = [
  {
    name: "due/1",
    sql: `CREATE TABLE due (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX due_at ON due (at)`,
  },
];
