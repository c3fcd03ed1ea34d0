import {
  hoursMatter,
  type KnownHours,
  pickStandingOut,
  type SubjectDays,
  withHours,
} from "../../domain/forecast/unusual-subjects.ts";
import { RECENT_DAYS } from "../../domain/forecast/unusual.ts";
import { dateOfDay, dayOf, type DayNumber } from "../../domain/forecast/series.ts";
import { FORECAST_MEMORY_DAYS } from "../../domain/run/retention.ts";
import { type CheckpointedView, query } from "../kernel/door.ts";
import { DAILY_USAGE } from "../runs/daily.ts";
import { rankSpent } from "../usage/ranking.ts";
import { currentHours, isWorthKeeping } from "./hours.ts";
import { sensitivityOf } from "./settings.ts";

/** The subjects that are looked at: the org, and those of each kind that spent most in the days asked for. */
const MOST = { model: 20, customer: 50 } as const;
const NANOS_PER_USD = 1e9;

interface DaysToCheck {
  readonly from: DayNumber;
  readonly to: DayNumber;
}

interface Look extends DaysToCheck {
  /** True if keys, users and hours are looked at, too. */
  readonly withHours: boolean;
}

/** Reads what may be unusual of some days. The isolate computes what is, which leaves the object free. */
export const unusualSubjects = query({
  refuses: [],
  run(view, { from, to, withHours: isWanted }: Look) {
    const today = dayOf(view.now);
    const needsHours = hoursMatter({ from, today });
    const hours = needsHours && isWanted ? currentHours(view) : null;
    return {
      sensitivity: sensitivityOf(view.sql),
      today,
      subjects: readSubjects(view, { from, to }, hours),
      isComplete: !needsHours || hours !== null,
      isWorthKeeping: needsHours && isWanted && isWorthKeeping(view),
    };
  },
});

/** The org, and those of which a day or an hour stands out. */
export function readSubjects(
  view: CheckpointedView,
  { from, to }: DaysToCheck,
  hours: KnownHours | null,
): readonly SubjectDays[] {
  const days = { from: dateOfDay(from), to: dateOfDay(to + 1) };
  const parts = (["model", "customer"] as const).flatMap((kind) =>
    rankSpent(view.sql, { kind, ...days }, { most: MOST[kind] }).names.map((id) => ({ kind, id })),
  );
  const recent = withDays(view, [{ kind: "org", id: null }, ...parts], from - RECENT_DAYS);
  const subjects = hours === null ? recent : withHours(recent, hours, { from, to });
  const found = pickStandingOut(subjects, { from, to, today: dayOf(view.now) });
  // Only a forecast needs all the days, and only what stands out needs one.
  return withDays(view, found, dayOf(view.now) - FORECAST_MEMORY_DAYS);
}

/** Adds the spend of subjects on each day from one on. Those of which no sums are kept by day stay as they are. */
function withDays(
  { sql }: CheckpointedView,
  subjects: readonly (Omit<SubjectDays, "days"> & Partial<Pick<SubjectDays, "days">>)[],
  since: DayNumber,
): SubjectDays[] {
  // A row with all days of a subject is read several times faster than a row for each.
  const rows = sql.exec<{ at: number; days: string }>(
    `SELECT k.key AS at, json_group_array(json_array(d.day, CAST(d.usd AS REAL), d.runs) ORDER BY d.day) AS days
     FROM json_each(?) AS k JOIN ${DAILY_USAGE.in(sql)} AS d
       ON d.scope_kind = k.value ->> 0 AND d.scope_id = k.value ->> 1 AND d.day >= ? GROUP BY k.key`,
    JSON.stringify(subjects.map(({ kind, id }) => [kind, id ?? ""])),
    dateOfDay(since),
  );
  const known = new Map(Array.from(rows, ({ at, days }) => [at, daysIn(days)]));
  return subjects.map((subject, at) => ({ ...subject, days: known.get(at) ?? subject.days ?? [] }));
}

function daysIn(text: string): SubjectDays["days"] {
  return (JSON.parse(text) as [day: string, nanos: number, runs: number][]).map(([day, nanos, runs]) => ({
    day: dayOf(Date.parse(day)),
    value: Math.max(0, nanos / NANOS_PER_USD),
    runs,
  }));
}
