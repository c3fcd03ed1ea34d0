import { dropUniqueIds } from "../log-table.ts";
import type { SchemaStep } from "../schema-step.ts";

const AUDIT_TABLE = `(
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
) STRICT`;

export const AUDIT_STEPS: readonly SchemaStep[] = [
  {
    name: "audit/1",
    sql: `CREATE TABLE audit (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
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
    ) STRICT`,
  },
  {
    name: "audit/2",
    sql: `CREATE INDEX audit_at ON audit (at);
    CREATE TABLE audit_ends (
      name TEXT PRIMARY KEY,
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL,
      mac TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
  },
  {
    // Entries are found by their seqs, which are in the order of their time; no two ids are alike.
    name: "audit/3",
    sql: "DROP INDEX audit_at",
    fill(sql) {
      dropUniqueIds(sql, "audit", AUDIT_TABLE);
    },
  },
  {
    // Many entries to a row, as JSON, in the order of the columns of `audit`. Earlier entries stay where they are.
    name: "audit/4",
    sql: `CREATE TABLE audit_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
  },
];
