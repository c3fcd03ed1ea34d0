/**
 * `rate_counts.taken` is a list of buckets and amounts, as JSON. A bucket is the number of a sliding window's sub-bucket; for a
 * quota it is the start of the window.
 */
export const RATE_STEPS = {
  "rates/1": `CREATE TABLE rate_limits (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      read_rpm INTEGER
    ) STRICT;
    CREATE TABLE rate_policies (
      id TEXT PRIMARY KEY,
      position INTEGER NOT NULL,
      policy TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rate_taken (
      meter TEXT NOT NULL,
      bucket INTEGER NOT NULL,
      amount INTEGER NOT NULL,
      PRIMARY KEY (meter, bucket)
    ) STRICT, WITHOUT ROWID`,
  // One row for a counter, so that a frequent command finds it by its name.
  "rates/2": `CREATE TABLE rate_counts (
      meter TEXT PRIMARY KEY,
      taken TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO rate_counts
      SELECT meter, json_group_array(json_array(bucket, amount) ORDER BY bucket) FROM rate_taken GROUP BY meter;
    DROP TABLE rate_taken`,
};
