import type { SchemaStep } from "../kernel/schema-step.ts";

/** One row per isolate that has, or recently had, slices of this org's limits. `slices` is JSON. */
export const GATE_STEPS: readonly SchemaStep[] = [
  {
    name: "gate/1",
    sql: `CREATE TABLE lease_holders (
      holder TEXT PRIMARY KEY,
      attempt INTEGER NOT NULL,
      batch INTEGER NOT NULL,
      asked_at INTEGER NOT NULL,
      slices TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
  },
  {
    // Existing slices are checked when the object next wakes.
    name: "gate/2",
    sql: `INSERT INTO due (kind, key, at)
      SELECT 'leases', '', MIN(asked_at) FROM lease_holders HAVING COUNT(*) > 0`,
  },
  { name: "gate/3", sql: "ALTER TABLE lease_holders ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0" },
];
