import type { SchemaStep } from "../schema-step.ts";

/** One row per isolate that has, or lately had, slices of this org's limits; `slices` is JSON. */
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
];
