import { saveRow } from "../../storage/rows.ts";
import { countsFrom, monthOf } from "../../domain/cohort/month.ts";
import { command, done, query, type View } from "../kernel/door.ts";

/** The org's choice to contribute its monthly figures to cohorts. It is off by default. */
export interface BenchmarkProfile {
  readonly contributing: boolean;
  /** The month from which the last change counts. Null if there was none. */
  readonly countsFrom: string | null;
}

export function loadBenchmarkProfile(sql: SqlStorage): BenchmarkProfile {
  const row = sql
    .exec<{ contributing: number; counts_from: string }>("SELECT * FROM benchmark_profile")
    .toArray()[0];
  return { contributing: row?.contributing === 1, countsFrom: row?.counts_from ?? null };
}

const current = (view: View) => {
  const { contributing, countsFrom: counts_from } = loadBenchmarkProfile(view.sql);
  return { contributing, counts_from };
};

export const getBenchmarkProfile = query({ refuses: [], run: current });

export const setBenchmarkProfile = command({
  action: "benchmark_profile.updated",
  refuses: [],
  publishes: "benchmarks",
  current,
  run(tx, { contributing }: { contributing: boolean }) {
    if (loadBenchmarkProfile(tx.sql).contributing !== contributing) {
      const counts_from = countsFrom(monthOf(tx.now));
      saveRow(tx.sql, "benchmark_profile", { one: 1, contributing: contributing ? 1 : 0, counts_from });
    }
    return done(200, current(tx), { target: tx.orgId, detail: { contributing } });
  },
});
