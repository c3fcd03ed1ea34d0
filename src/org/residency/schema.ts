export const RESIDENCY_STEPS = {
  "residency/1": `CREATE TABLE residency (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      regions TEXT NOT NULL
    ) STRICT`,
};
