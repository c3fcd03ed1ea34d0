import { LEAST_HISTORY_DAYS } from "./forecast.ts";
import { dayOfHour, daysOfHours, firstHourOf, type HourNumber, hourOfDay, type HourTotal } from "./hours.ts";
import type { Band } from "./paths.ts";
import { ascending, quantileOfSorted } from "./robust.ts";
import type { DayTotal } from "./series.ts";
import {
  type DaysAsked,
  expectedDays,
  highest,
  LEAST_OF_ORG,
  LEAST_USD,
  MORE_THAN_EVER,
  type Outside,
  RECENT_DAYS,
  widthFor,
} from "./unusual.ts";

/** One expensive run makes no hour unusual. If it matters, its day is. */
const LEAST_RUNS = 10;

export interface UnusualHour extends Outside {
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
  asked: DaysAsked,
): UnusualHour[] {
  const { from, to, today, sensitivity, usualUsd = 0 } = asked;
  const last = Math.min(to, today);
  if (sensitivity === "off" || last < from) return [];
  const before = hours.filter(({ hour }) => dayOfHour(hour) < from && dayOfHour(hour) >= from - RECENT_DAYS);
  const first = before[0];
  if (first === undefined || from - dayOfHour(first.hour) < LEAST_HISTORY_DAYS) return [];
  const margin = Math.max(LEAST_USD, LEAST_OF_ORG * usualUsd);
  const ever = Math.max(margin, MORE_THAN_EVER * highest(before));
  const high = hours.filter(({ value, runs }) => value > ever && runs >= LEAST_RUNS);
  // Most subjects end here, without a forecast.
  const bands = high.length === 0 ? null : expectedDays(days, from, last - from + 1);
  if (bands === null) return [];
  const shares = sharesOf(before);
  return high.flatMap(({ hour, value: usd, runs }): UnusualHour[] => {
    const band = bands[dayOfHour(hour) - from];
    if (band === undefined) return [];
    const { p10, p50, p90 } = times(band, shares[hourOfDay(hour)] ?? []);
    const most = p50 + Math.max(widthFor(sensitivity, runs) * (p90 - p50), margin);
    return usd > most ? [{ hour, usd, low: p10, expected: p50, high: p90, direction: "above" }] : [];
  });
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
