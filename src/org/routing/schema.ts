export const ROUTING_STEPS = {
  "routing/1": `CREATE TABLE routing_policy (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      policy TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE evals (
      id TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(16)))),
      suite TEXT NOT NULL,
      model TEXT NOT NULL,
      score REAL NOT NULL,
      samples INTEGER NOT NULL,
      run_at INTEGER NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX evals_latest ON evals (suite, model, run_at)`,
};
