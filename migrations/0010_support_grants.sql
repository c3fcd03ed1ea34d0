CREATE TABLE support_grants (
  grant_id TEXT PRIMARY KEY NOT NULL,
  org_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX support_grants_expires_at ON support_grants (expires_at);
