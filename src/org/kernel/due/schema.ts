export const DUE_STEPS = {
  "due/1": `CREATE TABLE due (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      at INTEGER NOT NULL,
      PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX due_at ON due (at)`,
};
