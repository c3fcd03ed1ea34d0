import { LEAST_HISTORY_DAYS } from "./forecast.ts";
import { dayOfHour, daysOfHours, firstHourOf, type HourNumber, hourOfDay, type HourTotal } from "./hours.ts";
import type { Band } from "./paths.ts";
import { ascending, quantileOfSorted } from "./robust.ts";
import type { DayNumber, DayTotal } from "./series.ts";
import {
  type Comparison,
  type UnusualDaysQuery,
  expectedDays,
  highest,
  leastMargin,
  type CheckedDays,
  MORE_THAN_EVER,
  type UnexpectedSpend,
  RECENT_DAYS,
  widthFor,
} from "./unusual.ts";

/** One expensive run makes no hour unusual. If it matters, its day is. */
const LEAST_RUNS = 10;

export interface UnusualHour extends UnexpectedSpend {
  readonly hour: HourNumber;
}

/**
 * The hours that are far above of what was expected: the forecast's range of the day, times the range of the share that this
 * hour of the day had in the four weeks before. An hour must also be above by what matters in a day. None is below: a quiet
 * hour is usual.
 */
export function unusualHours(
  hours: readonly HourTotal[],
  days: readonly DayTotal[],
  asked: UnusualDaysQuery,
): UnusualHour[] {
  const { from, to, today, sensitivity, usualUsd = 0 } = asked;
  if (sensitivity === "off") return [];
  const high = highHours(hours, asked);
  const bands = high.length === 0 ? null : expectedDays(days, from, Math.min(to, today) - from + 1);
  if (bands === null) return [];
  const shares = sharesOf(hoursBefore(hours, from));
  const margin = leastMargin(usualUsd);
  return high.flatMap(({ hour, value: usd, runs }): UnusualHour[] => {
    const band = bands[dayOfHour(hour) - from];
    if (band === undefined) return [];
    const { p10, p50, p90 } = times(band, shares[hourOfDay(hour)] ?? []);
    const most = p50 + Math.max(widthFor(sensitivity, runs) * (p90 - p50), margin);
    return usd > most ? [{ hour, usd, low: p10, expected: p50, high: p90, direction: "above" }] : [];
  });
}

/**
 * Hours that are above all of the four weeks before by what matters, as each that is unusual must be. Most subjects have none,
 * and need no forecast.
 */
export function highHours(
  hours: readonly HourTotal[],
  { from, to, today, usualUsd = 0 }: CheckedDays & Comparison,
): HourTotal[] {
  const before = hoursBefore(hours, from);
  const first = before[0];
  if (first === undefined || from - dayOfHour(first.hour) < LEAST_HISTORY_DAYS) return [];
  const ever = Math.max(leastMargin(usualUsd), MORE_THAN_EVER * highest(before));
  const end = firstHourOf(Math.min(to, today) + 1);
  return hours.filter(
    ({ hour, value, runs }) => hour >= firstHourOf(from) && hour < end && value > ever && runs >= LEAST_RUNS,
  );
}

function hoursBefore(hours: readonly HourTotal[], from: DayNumber): HourTotal[] {
  const [first, end] = [firstHourOf(from - RECENT_DAYS), firstHourOf(from)];
  return hours.filter(({ hour }) => hour >= first && hour < end);
}

/** By hour of the day: the shares that it had of days on which anything was spent, the least first. */
function sharesOf(hours: readonly HourTotal[]): number[][] {
  const totals = new Map(daysOfHours(hours).map(({ day, value }) => [day, value]));
  const byHour = new Map(hours.map(({ hour, value }) => [hour, value]));
  const spent = [...totals].filter(([, total]) => total > 0);
  return Array.from({ length: 24 }, (_, at) =>
    spent.map(([day, total]) => (byHour.get(firstHourOf(day) + at) ?? 0) / total).toSorted(ascending),
  );
}

function times({ p10, p50, p90 }: Band, shares: readonly number[]): Band {
  return {
    p10: p10 * quantileOfSorted(shares, 0.1),
    p50: p50 * quantileOfSorted(shares, 0.5),
    p90: p90 * quantileOfSorted(shares, 0.9),
  };
}
