export const SUPPORT_STEPS = {
  "support/1": `
    CREATE TABLE support_grants (
      id TEXT PRIMARY KEY,
      scope TEXT NOT NULL,
      reason TEXT NOT NULL,
      opened_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      closed_at INTEGER,
      last_used_at INTEGER
    ) STRICT;
    CREATE INDEX support_grants_created_at ON support_grants (created_at, id);
    CREATE TABLE support_sessions (
      digest TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      grant_id TEXT NOT NULL REFERENCES support_grants (id),
      operator TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT;`,
};
