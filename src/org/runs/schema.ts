import { runIds } from "./ids/index.ts";
import { repackRuns } from "./repack.ts";
import type { SchemaStep } from "../kernel/schema-step.ts";

/**
 * Runs are found by the second in which they started, and sorted within it when they are listed. Sorted in the index, each
 * run of a batch would lie on a page of its own among all others of that second, and each page is written whole.
 */
export const STARTED_TOGETHER_MS = 1000;
export const STARTED = `started_at / ${STARTED_TOGETHER_MS}`;

/**
 * `charged_at` is the moment whose windows a run was charged to, `charges` the meters it was charged to, between
 * spaces. Together they let every counter be added up anew, with no row per run and meter.
 *
 * What is neither looked up nor sorted by lies in `data`, one JSON array: each column costs as much to insert as the
 * row itself (a generated one too). The view `run_rows` names its parts.
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
      data TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX runs_id ON runs (id);
    CREATE INDEX runs_started ON runs (started_at);
    CREATE INDEX runs_chain ON runs (chain_id, started_at) WHERE chain_id IS NOT NULL;
    CREATE VIEW run_rows AS SELECT seq, id, started_at, charged_at, recorded_at, chain_id, cost,
      data ->> 0 AS model, data ->> 1 AS action, data ->> 2 AS workflow_id, data ->> 3 AS deployment_id,
      data ->> 4 AS department_id, data ->> 5 AS customer_id, data ->> 6 AS input_tokens,
      data ->> 7 AS output_tokens, data ->> 8 AS charges, data FROM runs;
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
  // Before the steps that count on the shape above.
  { name: "runs/1/repack", fill: repackRuns },
  {
    name: "runs/2",
    sql: `DROP INDEX runs_started; CREATE INDEX runs_started ON runs (${STARTED})`,
  },
  {
    name: "runs/3",
    sql: `DROP INDEX runs_id;
    CREATE TABLE run_id_segments (
      segment INTEGER PRIMARY KEY,
      level INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      state TEXT NOT NULL,
      step INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE run_id_blocks (
      place INTEGER PRIMARY KEY,
      filter BLOB NOT NULL,
      entries BLOB NOT NULL
    ) STRICT`,
    // Segments are made of the runs that there are.
    fill: (sql) => void runIds(sql),
  },
  {
    name: "runs/4",
    sql: `CREATE TABLE run_metadata (
      run_id TEXT NOT NULL,
      part INTEGER NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (run_id, part)
    ) STRICT`,
  },
];
