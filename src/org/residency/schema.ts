import type { SchemaStep } from "../../storage/schema-step.ts";

export const RESIDENCY_STEPS: readonly SchemaStep[] = [
  {
    name: "residency/1",
    sql: `CREATE TABLE residency (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      regions TEXT NOT NULL
    ) STRICT`,
  },
];
