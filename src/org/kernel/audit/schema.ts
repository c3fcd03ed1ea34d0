import type { SchemaStep } from "../schema-step.ts";

/** Entries are in `audit_pages`, many to a row, as JSON, in the order of the columns of `audit`. */
export const AUDIT_STEPS: readonly SchemaStep[] = [
  {
    name: "audit/1",
    sql: `CREATE TABLE audit (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      at INTEGER NOT NULL,
      action TEXT NOT NULL,
      actor_kind TEXT NOT NULL,
      actor_id TEXT NOT NULL,
      on_behalf_of TEXT,
      target TEXT,
      outcome TEXT NOT NULL,
      trace TEXT NOT NULL,
      address TEXT,
      detail TEXT NOT NULL,
      hash TEXT NOT NULL
    ) STRICT;
    CREATE TABLE audit_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE audit_ends (
      name TEXT PRIMARY KEY,
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL,
      mac TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
  },
];
