import type { SchemaStep } from "../schema.ts";

/**
 * `charged_at` is the moment whose windows a run was charged to, `charges` the meters it was charged to, between
 * spaces. Together they let every counter be added up anew, with no row per run and meter.
 *
 * What is neither looked up nor sorted by lies in `data`, one JSON array: each column costs as much to insert as the
 * row itself. The virtual columns make it as good as columns to whoever reads.
 */
export const RUN_STEPS: readonly SchemaStep[] = [
  {
    name: "runs/1",
    sql: `CREATE TABLE runs (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      charged_at INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL,
      chain_id TEXT,
      cost INTEGER NOT NULL,
      data TEXT NOT NULL,
      model TEXT GENERATED ALWAYS AS (data ->> 0) VIRTUAL,
      action TEXT GENERATED ALWAYS AS (data ->> 1) VIRTUAL,
      workflow_id TEXT GENERATED ALWAYS AS (data ->> 2) VIRTUAL,
      deployment_id TEXT GENERATED ALWAYS AS (data ->> 3) VIRTUAL,
      department_id TEXT GENERATED ALWAYS AS (data ->> 4) VIRTUAL,
      customer_id TEXT GENERATED ALWAYS AS (data ->> 5) VIRTUAL,
      input_tokens INTEGER GENERATED ALWAYS AS (data ->> 6) VIRTUAL,
      output_tokens INTEGER GENERATED ALWAYS AS (data ->> 7) VIRTUAL,
      charges TEXT GENERATED ALWAYS AS (data ->> 8) VIRTUAL
    ) STRICT;
    CREATE UNIQUE INDEX runs_id ON runs (id);
    CREATE INDEX runs_started ON runs (started_at, id);
    CREATE INDEX runs_chain ON runs (chain_id, started_at) WHERE chain_id IS NOT NULL;
    CREATE TABLE usage_daily (
      day TEXT NOT NULL,
      scope_kind TEXT NOT NULL,
      scope_id TEXT NOT NULL,
      usd TEXT NOT NULL,
      runs INTEGER NOT NULL,
      tokens INTEGER NOT NULL,
      PRIMARY KEY (scope_kind, scope_id, day)
    ) STRICT, WITHOUT ROWID`,
  },
];
