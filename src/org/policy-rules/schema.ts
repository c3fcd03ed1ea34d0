/** `version` shows whether a compiled value still matches its rows. */
export const POLICY_STEPS = {
  "policies/1": `CREATE TABLE policy_rules (
      id TEXT PRIMARY KEY,
      target TEXT NOT NULL,
      effect TEXT NOT NULL,
      "when" TEXT NOT NULL,
      reason TEXT NOT NULL,
      priority INTEGER NOT NULL,
      mode TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE compiled_versions (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
};
