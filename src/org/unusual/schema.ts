/** How sensitive the org wants to be, which unusual days were announced, and the hours that are compared. */
export const UNUSUAL_STEPS = {
  "unusual/1": `CREATE TABLE unusual_settings (only INTEGER PRIMARY KEY CHECK (only = 1), sensitivity TEXT NOT NULL) STRICT;
    CREATE TABLE unusual_days (
      day TEXT NOT NULL,
      subject_kind TEXT NOT NULL,
      subject_id TEXT NOT NULL,
      PRIMARY KEY (day, subject_kind, subject_id)
    ) STRICT, WITHOUT ROWID`,
  // The spend of subjects by hour, written by the hourly look alone, and how far the runs are counted in it.
  "unusual/2": `CREATE TABLE unusual_hours (hour INTEGER PRIMARY KEY, spent TEXT NOT NULL) STRICT;
    CREATE TABLE unusual_counted (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      run INTEGER NOT NULL,
      replacement INTEGER NOT NULL,
      known_to INTEGER
    ) STRICT`,
  // When somebody last looked at hours that take long to count. Null if only the hourly look needs them.
  "unusual/3": "ALTER TABLE unusual_counted ADD COLUMN looked_at INTEGER",
};
