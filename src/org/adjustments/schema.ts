/** `charges` names the adjusted limits, separated by spaces. With `at`, their counters can be recounted. */
export const ADJUSTMENT_STEPS = {
  "adjustments/1": `CREATE TABLE run_adjustments (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      at INTEGER NOT NULL,
      amount TEXT NOT NULL,
      charges TEXT NOT NULL,
      data TEXT NOT NULL
    ) STRICT;
    CREATE INDEX run_adjustments_run ON run_adjustments (run_id, seq)`,
};
