import type { HourSpend } from "../../domain/forecast/hours.ts";
import { dayOf } from "../../domain/forecast/series.ts";
import type { KnownHours } from "../../domain/forecast/unusual-subjects.ts";
import { fetchingAsNeeded, NeedsFetch, Unreadable } from "../../storage/needs-fetch.ts";
import { transaction } from "../../storage/transaction.ts";
import { query } from "../kernel/door.ts";
import type { DueContext } from "../kernel/due/handler.ts";
import type * as newHours from "./new-hours.ts";
import type { Place } from "./new-hours.ts";

/** Steps of one look. An org with more runs than these have catches up with the next looks. */
const MOST_STEPS = 20;

const BEGINNING: Place = { run: 1, replacement: 1 };

let counter: typeof newHours | null = null;

/** Loaded when it is first needed: few orgs look at hours. */
function hourCounter(): typeof newHours {
  if (counter !== null) return counter;
  throw new NeedsFetch("what counts runs by hour", async () => {
    counter = await import("./new-hours.ts");
  });
}

type CountedRow = { run: number; replacement: number; known_to: number | null };

/** How far runs are counted by hour. `known_to` is when the count was last complete. */
function readCounted(sql: SqlStorage): CountedRow | undefined {
  return sql.exec<CountedRow>("SELECT run, replacement, known_to FROM unusual_counted").toArray()[0];
}

/** Hours that are stored. Null if they were never complete. */
export function readHours(sql: SqlStorage): KnownHours | null {
  const counted = readCounted(sql);
  if (counted === undefined || counted.known_to === null) return null;
  return { spends: storedHours(sql), to: dayOf(counted.known_to) };
}

function storedHours(sql: SqlStorage): HourSpend[] {
  return sql
    .exec<{ spent: string }>("SELECT spent FROM unusual_hours ORDER BY hour")
    .toArray()
    .flatMap(({ spent }) => JSON.parse(spent) as HourSpend[]);
}

/** Counts the runs that came since the last look, in steps. */
export async function countHours(object: DueContext): Promise<void> {
  try {
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const isEnd = await fetchingAsNeeded(() =>
        transaction(object.storage, (sql) => countStep(sql, object.view().now)),
      );
      if (isEnd) return;
      // Other calls are served before the next step.
      await scheduler.wait(0);
    }
  } catch (error) {
    // Days of the org, of models and of customers need no run: those are looked at without the hours.
    if (!(error instanceof Unreadable)) throw error;
  }
}

function countStep(sql: SqlStorage, now: number): boolean {
  const { countNewRuns, firstKeptHour } = hourCounter();
  const counted = readCounted(sql);
  const { sums, next, isEnd } = countNewRuns(sql, now, counted ?? BEGINNING);
  for (const hour of sums.hours) {
    const [stored] = sql
      .exec<{ spent: string }>("SELECT spent FROM unusual_hours WHERE hour = ?", hour)
      .toArray();
    for (const spend of JSON.parse(stored?.spent ?? "[]") as HourSpend[]) sums.add(spend);
    sql.exec(
      "INSERT OR REPLACE INTO unusual_hours (hour, spent) VALUES (?, ?)",
      hour,
      JSON.stringify(sums.rows(hour).map(rounded)),
    );
  }
  sql.exec("DELETE FROM unusual_hours WHERE hour < ?", firstKeptHour(now));
  sql.exec(
    "INSERT OR REPLACE INTO unusual_counted (only, run, replacement, known_to) VALUES (1, ?, ?, ?)",
    next.run,
    next.replacement,
    isEnd ? now : (counted?.known_to ?? null),
  );
  return isEnd;
}

/** Millionths of a dollar are more than enough for what is only compared. */
const rounded = ([hour, kind, id, usd, runs]: HourSpend): HourSpend => [
  hour,
  kind,
  id,
  Number(usd.toFixed(6)),
  runs,
];

/** Nobody wants to hear of unusual spend any more: what was counted for it is not kept. */
export function forgetHours(sql: SqlStorage): void {
  sql.exec("DELETE FROM unusual_hours");
  sql.exec("DELETE FROM unusual_counted");
}

/** One step of the hours as they are now: those that are stored with the first, and those of runs that are not counted yet. */
export const subjectHours = query({
  refuses: [],
  run({ sql, now }, { after }: { readonly after: Place | null }) {
    const { sums, next, isEnd } = hourCounter().countNewRuns(
      sql,
      now,
      after ?? readCounted(sql) ?? BEGINNING,
    );
    const stored = after === null ? storedHours(sql) : [];
    return { spends: [...stored, ...sums.rows()], next: isEnd ? null : next };
  },
});
