export const COUNTER_STEPS = {
  "counters/1": `CREATE TABLE counted (
      seq INTEGER NOT NULL,
      series TEXT NOT NULL,
      n INTEGER NOT NULL,
      PRIMARY KEY (seq, series)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE counter_batch (open INTEGER NOT NULL) STRICT;
    INSERT INTO counter_batch (open) VALUES (1)`,
};
