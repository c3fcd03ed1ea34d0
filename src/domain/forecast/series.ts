import { DAY_MS } from "../../contract/durations.ts";

/** A day as the number of days since 1970-01-01 UTC. */
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
 * Rollups have no row for a day without runs, which is either a quiet day or a gap in the reporting. If a weekday is
 * empty in at least half of the weeks, or over a fifth of all days are empty, empty days are quiet and count as zero. A
 * rare empty day among busy ones is a gap and unknown, so that an outage does not look like a collapse in demand.
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
