import type { SchemaStep } from "../schema.ts";

/**
 * `charged_at` is the moment whose windows a run was charged to, `charges` the meters it was charged to, between
 * spaces. Together they let every counter be added up anew, with no row per run and meter.
 */
export const RUN_STEPS: readonly SchemaStep[] = [
  {
    name: "runs/1",
    sql: `CREATE TABLE runs (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      charged_at INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL,
      model TEXT NOT NULL,
      action TEXT,
      workflow_id TEXT,
      deployment_id TEXT,
      department_id TEXT,
      customer_id TEXT,
      chain_id TEXT,
      parent_run_id TEXT,
      depth INTEGER NOT NULL,
      input_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      cost INTEGER NOT NULL,
      charges TEXT NOT NULL,
      extra TEXT
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
