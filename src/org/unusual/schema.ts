import type { SchemaStep } from "../../storage/schema-step.ts";

/** How sensitive the org wants to be, and which unusual days were announced: only those. */
export const UNUSUAL_STEPS: readonly SchemaStep[] = [
  {
    name: "unusual/1",
    sql: `CREATE TABLE unusual_settings (only INTEGER PRIMARY KEY CHECK (only = 1), sensitivity TEXT NOT NULL) STRICT;
    CREATE TABLE unusual_days (
      day TEXT NOT NULL,
      subject_kind TEXT NOT NULL,
      subject_id TEXT NOT NULL,
      PRIMARY KEY (day, subject_kind, subject_id)
    ) STRICT, WITHOUT ROWID`,
  },
];
