export const MOVING_STEPS = {
  // A move to another region that has begun. `is_archive_copied` is 1 if the operator has copied the org's files, so that they
  // stay where they are. Otherwise their runs move.
  "moving/1": `CREATE TABLE moving (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      id TEXT NOT NULL,
      to_region TEXT NOT NULL,
      archive TEXT,
      attempt TEXT,
      frozen_at INTEGER NOT NULL,
      until INTEGER NOT NULL,
      is_archive_copied INTEGER NOT NULL
    ) STRICT`,
};
