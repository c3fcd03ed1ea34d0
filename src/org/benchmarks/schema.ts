export const BENCHMARK_STEPS = {
  "benchmarks/1": `CREATE TABLE benchmark_profile (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      contributing INTEGER NOT NULL,
      counts_from TEXT NOT NULL
    ) STRICT`,
};
