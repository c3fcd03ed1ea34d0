export const RETENTION_STEPS = {
  "retention/1": `CREATE TABLE retention_policy (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      runs_days INTEGER NOT NULL,
      audit_days INTEGER NOT NULL,
      deliveries_days INTEGER NOT NULL,
      legal_hold INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
};
