-- Who is signed in to the operator console. A session that is not here has ended.
CREATE TABLE operator_sessions (
  id TEXT PRIMARY KEY NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  address TEXT NOT NULL
);
