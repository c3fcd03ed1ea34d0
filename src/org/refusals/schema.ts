/**
 * A row is many refusals: those of one report, as JSON. Rows are numbered by the time of their last refusal, so that
 * the newest are found without an index, which would be one more row to write. Sums of an hour are folded from these
 * rows, many at a time. `folded` is the number up to which that was done.
 */
export const REFUSAL_STEPS = {
  "refusals/1": `CREATE TABLE refusal_batches (
      seq INTEGER PRIMARY KEY,
      first_at INTEGER NOT NULL,
      notes INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE refusal_hours (
      hour INTEGER NOT NULL,
      part INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (hour, part)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE refusal_fold (folded INTEGER NOT NULL) STRICT;
    INSERT INTO refusal_fold (folded) VALUES (0)`,
};
