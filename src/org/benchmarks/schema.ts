import type { SchemaStep } from "../../storage/schema-step.ts";

export const BENCHMARK_STEPS: readonly SchemaStep[] = [
  {
    name: "benchmarks/1",
    sql: `CREATE TABLE benchmark_profile (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      contributing INTEGER NOT NULL,
      counts_from TEXT NOT NULL
    ) STRICT`,
  },
];
