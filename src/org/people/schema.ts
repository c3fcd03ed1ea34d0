export const PEOPLE_STEPS = {
  "people/1": `
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      provider TEXT NOT NULL,
      subject TEXT NOT NULL,
      name TEXT NOT NULL,
      email TEXT,
      role TEXT NOT NULL,
      address TEXT,
      created_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      revoked_at INTEGER,
      key_id TEXT,
      key_digest TEXT
    ) STRICT;
    CREATE INDEX sessions_created_at ON sessions (created_at, id);
    CREATE TABLE sso (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      kind TEXT NOT NULL,
      sealed TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE sign_in_attempts (
      digest TEXT PRIMARY KEY,
      browser TEXT NOT NULL,
      sealed TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE spent_sign_in_links (digest TEXT PRIMARY KEY, spent_at INTEGER NOT NULL) STRICT;
    CREATE TABLE console_links (
      digest TEXT PRIMARY KEY,
      key_id TEXT,
      key_digest TEXT,
      provider TEXT NOT NULL,
      subject TEXT NOT NULL,
      name TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;`,
};
