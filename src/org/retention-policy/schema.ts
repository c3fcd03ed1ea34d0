import type { SchemaStep } from "../../storage/schema-step.ts";

export const RETENTION_STEPS: readonly SchemaStep[] = [
  {
    name: "retention/1",
    sql: `CREATE TABLE retention_policy (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      runs_days INTEGER NOT NULL,
      audit_days INTEGER NOT NULL,
      deliveries_days INTEGER NOT NULL,
      legal_hold INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
  },
];
