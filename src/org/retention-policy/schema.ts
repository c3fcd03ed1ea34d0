import type { SchemaStep } from "../kernel/schema-step.ts";

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
    ) STRICT;
    CREATE TABLE purged_runs (
      quarter INTEGER NOT NULL,
      id INTEGER NOT NULL,
      rest BLOB NOT NULL,
      said BLOB NOT NULL,
      recorded_at INTEGER NOT NULL,
      charged_after INTEGER NOT NULL,
      depth INTEGER NOT NULL,
      cost INTEGER NOT NULL,
      PRIMARY KEY (quarter, id, rest)
    ) STRICT, WITHOUT ROWID`,
  },
];
