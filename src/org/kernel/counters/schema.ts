import type { SchemaStep } from "../../../storage/schema-step.ts";

export const COUNTER_STEPS: readonly SchemaStep[] = [
  {
    name: "counters/1",
    sql: `CREATE TABLE counted (
      seq INTEGER NOT NULL,
      series TEXT NOT NULL,
      n INTEGER NOT NULL,
      PRIMARY KEY (seq, series)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE counter_batch (open INTEGER NOT NULL) STRICT;
    INSERT INTO counter_batch (open) VALUES (1)`,
  },
];
