export const DEPRECATED_CALL_STEPS = {
  "deprecated-calls/1": `CREATE TABLE deprecated_calls (
      method TEXT NOT NULL,
      route TEXT NOT NULL,
      caller TEXT NOT NULL,
      calls INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (method, route, caller)
    ) STRICT, WITHOUT ROWID`,
};
