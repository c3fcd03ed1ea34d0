import type { SchemaStep } from "../kernel/schema-step.ts";

/** `rate_taken.bucket` numbers a sliding window's sub-buckets; for a quota it is the start of the window. */
export const RATE_STEPS: readonly SchemaStep[] = [
  {
    name: "rates/1",
    sql: `CREATE TABLE rate_limits (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      read_rpm INTEGER
    ) STRICT;
    CREATE TABLE rate_policies (
      id TEXT PRIMARY KEY,
      position INTEGER NOT NULL,
      policy TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rate_taken (
      meter TEXT NOT NULL,
      bucket INTEGER NOT NULL,
      amount INTEGER NOT NULL,
      PRIMARY KEY (meter, bucket)
    ) STRICT, WITHOUT ROWID`,
  },
];
