import { DAY_MS } from "../../contract/durations.ts";
import type { SubjectDays } from "../../domain/forecast/unusual-subjects.ts";
import { dateOfDay, dayOf, type DayNumber } from "../../domain/forecast/series.ts";
import { FORECAST_MEMORY_DAYS } from "../../domain/run/retention.ts";
import { type CheckpointedView, query } from "../kernel/door.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import { sensitivityOf } from "./settings.ts";

/** The subjects that are looked at: the org, and those of each kind that spent most in the days asked for. */
const MOST = { model: 20, customer: 50 } as const;
const NANOS_PER_USD = 1e9;

export interface DaysAsked {
  readonly from: DayNumber;
  readonly to: DayNumber;
}

/** What each subject spent, from sums that are kept by day. The isolate computes, which leaves the object free. */
export const subjectDays = query({
  refuses: [],
  run: (view, asked: DaysAsked) => ({
    sensitivity: sensitivityOf(view.sql),
    today: dayOf(view.now),
    subjects: readSubjects(view, asked),
  }),
});

export function readSubjects(view: CheckpointedView, asked: DaysAsked): SubjectDays[] {
  const parts = (["model", "customer"] as const).flatMap((kind) =>
    topOf(view, kind, asked).map((id) => ({ kind, id, days: daysOf(view, kind, id) })),
  );
  return [{ kind: "org", id: null, days: daysOf(view, "org", "") }, ...parts];
}

function topOf({ sql }: CheckpointedView, kind: keyof typeof MOST, { from, to }: DaysAsked): string[] {
  return sql
    .exec<{ id: string }>(
      `SELECT scope_id AS id FROM ${DAILY_USAGE.in(sql)} WHERE scope_kind = ? AND day >= ? AND day <= ?
       GROUP BY scope_id ORDER BY SUM(CAST(usd AS REAL)) DESC, scope_id LIMIT ?`,
      kind,
      dateOfDay(from),
      dateOfDay(to),
      MOST[kind],
    )
    .toArray()
    .map(({ id }) => id);
}

function daysOf({ sql, now }: CheckpointedView, kind: string, id: string): SubjectDays["days"] {
  return sql
    .exec<{ day: string; usd: number; runs: number }>(
      `SELECT day, CAST(usd AS REAL) AS usd, runs FROM ${DAILY_USAGE.in(sql)}
       WHERE scope_kind = ? AND scope_id = ? AND day >= ? ORDER BY day`,
      kind,
      id,
      new Date(now - FORECAST_MEMORY_DAYS * DAY_MS).toISOString().slice(0, 10),
    )
    .toArray()
    .map(({ day, usd, runs }) => ({
      day: dayOf(Date.parse(day)),
      value: Math.max(0, usd / NANOS_PER_USD),
      runs,
    }));
}
