/** Entries are many to a row, as JSON, in the order of the columns of the log. */
export const AUDIT_STEPS = {
  "audit/1": `CREATE TABLE audit_pages (
      first INTEGER PRIMARY KEY,
      last INTEGER NOT NULL,
      at INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE audit_ends (
      name TEXT PRIMARY KEY,
      seq INTEGER NOT NULL,
      hash TEXT NOT NULL,
      mac TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
};
