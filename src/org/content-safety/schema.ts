export const SAFETY_STEPS = {
  "safety/1": `CREATE TABLE content_safety (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      detectors TEXT NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT`,
};
