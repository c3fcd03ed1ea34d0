import { DAY_MS } from "../../contract/durations.ts";

/** A day as the count of days since 1970-01-01 UTC. */
export type DayNumber = number;

/** One value per calendar day from `firstDay` on. `null` means unknown. */
export type DailySeries = { readonly firstDay: DayNumber; readonly values: readonly (number | null)[] };

export type DayTotal = { readonly day: DayNumber; readonly value: number };

export function dayOf(timeMs: number): DayNumber {
  return Math.floor(timeMs / DAY_MS);
}

export function dateOfDay(day: DayNumber): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** 0 is Thursday, the weekday of day 0: only equality of weekdays matters here. */
export function weekdayOf(day: DayNumber): number {
  return ((day % 7) + 7) % 7;
}

/**
 * Rollups hold no row for a day without runs, which is either a quiet day or a hole in the reporting. A weekday that
 * is empty in at least half of the weeks, or a series with over a fifth of its days empty, is quiet: zero. A rare
 * empty day among busy ones is a hole: unknown, so that an outage does not read as a collapse in demand.
 */
export function seriesOf(totals: readonly DayTotal[], lastDay: DayNumber): DailySeries {
  const byDay = new Map(totals.map(({ day, value }) => [day, value]));
  let firstDay = lastDay;
  for (const day of byDay.keys()) firstDay = Math.min(firstDay, day);
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index);
  const emptyShare = (of: readonly DayNumber[]): number =>
    of.length === 0 ? 0 : of.filter((day) => !byDay.has(day)).length / of.length;
  const intermittent = emptyShare(days) > 0.2;
  const quiet = Array.from(
    { length: 7 },
    (_, weekday) => intermittent || emptyShare(days.filter((day) => weekdayOf(day) === weekday)) >= 0.5,
  );
  return { firstDay, values: days.map((day) => byDay.get(day) ?? (quiet[weekdayOf(day)] ? 0 : null)) };
}
