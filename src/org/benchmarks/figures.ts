import { DAILY_USAGE } from "../runs/daily.ts";
import { DAY_MS } from "../../contract/durations.ts";
import { type Month, monthOf, nextMonth, startOf } from "../../domain/cohort/month.ts";
import type { MonthlyFigures } from "../../domain/cohort/percentile.ts";
import { query, type CheckpointedView } from "../kernel/door.ts";

/** Returns what the org did in a month, up to now. Null if the org is younger than the month. */
export function figuresFor(view: CheckpointedView, month: Month): MonthlyFigures | null {
  const end = startOf(nextMonth(month));
  if (view.profile().createdAt >= end) return null;
  const days = view.sql
    .exec<{ usd: string; runs: number; tokens: number }>(
      `SELECT usd, runs, tokens FROM ${DAILY_USAGE.in(view.sql)}
       WHERE scope_kind = 'org' AND scope_id = '' AND day >= ? AND day < ?`,
      `${month}-01`,
      `${nextMonth(month)}-01`,
    )
    .toArray();
  const costNano = days.reduce((sum, day) => sum + BigInt(day.usd), 0n);
  return {
    runs: days.reduce((sum, day) => sum + day.runs, 0),
    tokens: days.reduce((sum, day) => sum + day.tokens, 0),
    // A month can be given back more than was spent in it.
    costNano: costNano < 0n ? 0n : costNano,
    days: Math.max(1, Math.ceil((Math.min(end, view.now) - startOf(month)) / DAY_MS)),
  };
}

export const benchmarkFigures = query({
  refuses: [],
  run: (view, { month }: { month: Month }) => ({
    figures: figuresFor(view, month),
    month: monthOf(view.now),
  }),
});
