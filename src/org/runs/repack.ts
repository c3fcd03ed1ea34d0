/**
 * Objects from before the first release may have a column, possibly generated, for each part of a run, and no view of
 * the parts, as `runs/1` was then. Their runs are packed as `runs/1` says now, with their existing indexes.
 */
export function repackRuns(sql: SqlStorage): void {
  if (has(sql, "view", "run_rows")) return;
  const isPacked = sql
    .exec<{ name: string }>("PRAGMA table_info(runs)")
    .toArray()
    .some(({ name }) => name === "data");
  const indexes = sql
    .exec<{ sql: string }>(
      "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'runs' AND sql IS NOT NULL",
    )
    .toArray();
  sql.exec(`CREATE TABLE runs_packed (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      charged_at INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL,
      chain_id TEXT,
      cost INTEGER NOT NULL,
      data TEXT NOT NULL
    ) STRICT;
    INSERT INTO runs_packed (seq, id, started_at, charged_at, recorded_at, chain_id, cost, data)
      SELECT seq, id, started_at, charged_at, recorded_at, chain_id, cost, ${isPacked ? "data" : DATA} FROM runs
      ORDER BY seq;
    DROP TABLE runs;
    ALTER TABLE runs_packed RENAME TO runs`);
  for (const index of indexes) sql.exec(index.sql);
  sql.exec(`CREATE VIEW run_rows AS SELECT seq, id, started_at, charged_at, recorded_at, chain_id, cost,
      data ->> 0 AS model, data ->> 1 AS action, data ->> 2 AS workflow_id, data ->> 3 AS deployment_id,
      data ->> 4 AS department_id, data ->> 5 AS customer_id, data ->> 6 AS input_tokens,
      data ->> 7 AS output_tokens, data ->> 8 AS charges, data FROM runs`);
}

/** The parts in the order of `RunData`. */
const DATA = `json_array(model, action, workflow_id, deployment_id, department_id, customer_id, input_tokens,
  output_tokens, charges, ended_at, parent_run_id, depth, json(extra))`;

function has(sql: SqlStorage, type: string, name: string): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?", type, name).toArray().length > 0;
}
