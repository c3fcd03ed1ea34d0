import { makeIdKey } from "./ids/key.ts";
import { runIds } from "./ids/index.ts";
import { repackRuns } from "./repack.ts";
import type { SchemaStep } from "../kernel/schema-step.ts";

/**
 * Runs are in `run_blocks`, many to a row. Rows that an earlier version left in `runs` are packed into blocks by due
 * work.
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
  // Before the steps that rely on the form above.
  { name: "runs/1/repack", fill: repackRuns },
  {
    name: "runs/2",
    sql: `DROP INDEX runs_started; CREATE INDEX runs_started ON runs (started_at / 1000)`,
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
    // Segments are made once there are blocks.
    fill: () => undefined,
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
  {
    name: "runs/5",
    sql: `CREATE TABLE run_blocks (
      first_seq INTEGER PRIMARY KEY,
      state TEXT NOT NULL,
      runs INTEGER NOT NULL,
      started_min INTEGER NOT NULL,
      started_max INTEGER NOT NULL,
      recorded_min INTEGER NOT NULL,
      recorded_max INTEGER NOT NULL,
      cost_min TEXT NOT NULL,
      cost_max TEXT NOT NULL,
      names BLOB NOT NULL,
      data BLOB NOT NULL
    ) STRICT;
    INSERT INTO due (kind, key, at) SELECT 'runs.packing', '', 1 WHERE EXISTS (SELECT 1 FROM runs)`,
    // The index is built once it has its key.
    fill: () => undefined,
  },
  {
    name: "runs/6",
    sql: `CREATE TABLE run_id_key (
      one INTEGER PRIMARY KEY,
      first INTEGER NOT NULL,
      second INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE run_id_block_parts (
      place INTEGER NOT NULL,
      part INTEGER NOT NULL,
      entries BLOB NOT NULL,
      PRIMARY KEY (place, part)
    ) STRICT`,
    // The index is built once there are all tables that runs are in.
    fill: makeIdKey,
    ofEachObject: true,
  },
  {
    // Estimates of reservations that nobody had settled, by the runs that were reported for them later.
    name: "runs/7",
    sql: `CREATE TABLE replaced_runs (
      run_id TEXT PRIMARY KEY,
      by_run_id TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  },
  {
    // The names of tags that runs have had.
    name: "runs/8",
    sql: `CREATE TABLE run_tag_names (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`,
  },
  {
    // Files in the archive, what is known of the runs in them, and the last run that was ever archived.
    name: "runs/9",
    sql: `CREATE TABLE run_files (
      first_seq INTEGER PRIMARY KEY,
      state TEXT NOT NULL,
      name TEXT NOT NULL,
      runs INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      blocks_at INTEGER NOT NULL,
      started_min INTEGER NOT NULL,
      started_max INTEGER NOT NULL,
      recorded_min INTEGER NOT NULL,
      recorded_max INTEGER NOT NULL,
      cost TEXT NOT NULL,
      input_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      groups BLOB NOT NULL
    ) STRICT;
    CREATE TABLE run_file_indexes (
      first_seq INTEGER PRIMARY KEY,
      names BLOB NOT NULL,
      ids BLOB NOT NULL
    ) STRICT;
    CREATE TABLE run_archive (
      one INTEGER PRIMARY KEY,
      last_seq INTEGER NOT NULL
    ) STRICT`,
    // The index is built once there are all tables that it is in.
    fill: () => undefined,
  },
  {
    // A log of estimates that were taken back, for exports that have them already.
    name: "runs/replacements",
    sql: `CREATE TABLE run_replacements (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      run_id TEXT NOT NULL,
      by_run_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      started_at INTEGER NOT NULL,
      cost TEXT NOT NULL,
      names TEXT NOT NULL
    ) STRICT`,
  },
  {
    // Tokens of the input, of the output and by class, separated by spaces. Null: an earlier version has added to the sum.
    name: "runs/daily-counts",
    sql: `ALTER TABLE usage_daily ADD COLUMN counts TEXT`,
  },
  {
    // Filters of large segments, whole, so that waking reads few rows, and an index of the few files that are not made.
    name: "runs/filters",
    sql: `CREATE TABLE run_id_filters (
      segment INTEGER NOT NULL,
      part INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      filter BLOB NOT NULL,
      PRIMARY KEY (segment, part)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX run_files_unmade ON run_files (state) WHERE state <> 'made'`,
    fill: (sql) => void runIds(sql),
  },
  {
    // What tells the files of this stay in a region from those of others. Null: the org was made here.
    name: "runs/archive-place",
    sql: `ALTER TABLE run_archive ADD COLUMN place TEXT`,
  },
  {
    // Sums of stored runs by the names in one column, so that a report need not read each run.
    name: "runs/digests",
    sql: `CREATE TABLE run_digests (
      kind INTEGER NOT NULL,
      first_seq INTEGER NOT NULL,
      last_seq INTEGER NOT NULL,
      started_min INTEGER NOT NULL,
      started_max INTEGER NOT NULL,
      groups INTEGER NOT NULL,
      data BLOB NOT NULL,
      PRIMARY KEY (kind, first_seq)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO due (kind, key, at) SELECT 'runs.digests', '', 1 WHERE EXISTS (SELECT 1 FROM run_blocks)`,
  },
];
