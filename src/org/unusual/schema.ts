import type { SchemaStep } from "../../storage/schema-step.ts";

/** How sensitive the org wants to be, which unusual days were announced, and the hours that are compared. */
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
  {
    // The spend of subjects by hour, written by the hourly look alone, and how far the runs are counted in it.
    name: "unusual/2",
    sql: `CREATE TABLE unusual_hours (hour INTEGER PRIMARY KEY, spent TEXT NOT NULL) STRICT;
    CREATE TABLE unusual_counted (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      run INTEGER NOT NULL,
      replacement INTEGER NOT NULL,
      known_to INTEGER
    ) STRICT`,
  },
  {
    // When somebody last looked at hours that take long to count. Null if only the hourly look needs them.
    name: "unusual/3",
    sql: "ALTER TABLE unusual_counted ADD COLUMN looked_at INTEGER",
  },
];
