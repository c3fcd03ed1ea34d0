import type { SENSITIVITIES } from "../../contract/lists.ts";
import { bandsAhead, historyOf, outlookOf } from "./forecast.ts";
import type { Band } from "./paths.ts";
import { type DayNumber, type DayTotal, weekdayOf } from "./series.ts";

export type Sensitivity = (typeof SENSITIVITIES)[number];

/** How far outside of the forecast's range a day or an hour must be, in widths of the range. */
const WIDTHS: Readonly<Record<Exclude<Sensitivity, "off">, number>> = {
  low: 5,
  normal: 4,
  high: 2.5,
};

/** Less than this, in dollars or of what is usual, is not worth telling anybody. */
const LEAST_USD = 1;
const LEAST_SHARE = 0.25;
const LEAST_OF_ORG = 0.1;

/** Nothing is unusual that differs from what is expected by less. */
export const leastMargin = (usualUsd: number): number => Math.max(LEAST_USD, LEAST_OF_ORG * usualUsd);

/** Spend like that of these days before is usual for whoever spends in bursts, and so is a little more than that. */
export const RECENT_DAYS = 28;
export const MORE_THAN_EVER = 1.5;
const LESS_THAN_EVER = 0.5;

/**
 * How much wider the range is for the sum of few runs, because most runs are cheap and some are many times as expensive: the
 * third-order correction of Cornish and Fisher at five standard deviations, for costs with a log-normal spread of one.
 */
const SKEW = 3.7;

export function widthFor(sensitivity: keyof typeof WIDTHS, runs: number | undefined): number {
  return WIDTHS[sensitivity] * (runs === undefined ? 1 : 1 + SKEW / Math.sqrt(Math.max(1, runs)));
}

/** The spend of a day, and the number of its runs, if that is known. */
export interface SpentDay extends DayTotal {
  readonly runs?: number;
}

/** Spend that is outside of what was expected. */
export interface UnexpectedSpend {
  readonly usd: number;
  /** The expected spend, and the forecast's range around it. */
  readonly expected: number;
  readonly low: number;
  readonly high: number;
  readonly direction: "above" | "below";
}

export interface UnusualDay extends UnexpectedSpend {
  readonly day: DayNumber;
}

export interface CheckedDays {
  /** The first and the last day to look at. */
  readonly from: DayNumber;
  readonly to: DayNumber;
  /** Not over yet: it can be above what is usual, and not below. */
  readonly today: DayNumber;
}

export interface Comparison {
  /** The usual spend of the whole org in a day. A part of it that differs by little of that is nobody's concern. */
  readonly usualUsd?: number;
}

export interface UnusualDaysQuery extends CheckedDays, Comparison {
  readonly sensitivity: Sensitivity;
}

/** Returns what the days before `from` let expect of each day from then on. Null if they are fewer than two weeks. */
export function expectedDays(
  totals: readonly DayTotal[],
  from: DayNumber,
  days: number,
): readonly Band[] | null {
  // The days before are over, so the day after them is as good as today.
  const history = historyOf(
    totals.filter(({ day }) => day < from),
    from,
  );
  return history === null ? null : bandsAhead(outlookOf(history, days));
}

/** The days that are far outside of what the days before `from` let expect: whatever is new is not unusual. */
export function unusualDays(totals: readonly SpentDay[], asked: UnusualDaysQuery): UnusualDay[] {
  const { from, to, today } = asked;
  const last = Math.min(to, today);
  if (asked.sensitivity === "off" || last < from || !leavesRecent(totals, asked)) return [];
  return daysOutside(expectedDays(totals, from, last - from + 1) ?? [], totals, asked);
}

/**
 * Returns whether a day is outside of what the days before were, as each that is unusual must be, and not by less than
 * anybody's concern. Most subjects have none, and need no forecast, which takes a hundred times as long.
 */
export function leavesRecent(totals: readonly SpentDay[], asked: CheckedDays & Comparison): boolean {
  const { from, to, today, usualUsd = 0 } = asked;
  const recent = recentDays(totals, from);
  const most = Math.max(leastMargin(usualUsd), mostUsual(recent));
  const byDay = new Map(totals.map(({ day, value }) => [day, value]));
  for (let day = from; day <= Math.min(to, today); day += 1) {
    const usd = byDay.get(day) ?? 0;
    if (usd > most || (day < today && usd < leastUsual(recent, day))) return true;
  }
  return false;
}

function recentDays(totals: readonly SpentDay[], from: DayNumber): SpentDay[] {
  return totals.filter(({ day }) => day < from && day >= from - RECENT_DAYS);
}

function mostUsual(recent: readonly SpentDay[]): number {
  return MORE_THAN_EVER * highest(recent);
}

function leastUsual(recent: readonly SpentDay[], day: DayNumber): number {
  return LESS_THAN_EVER * lowestOn(recent, weekdayOf(day));
}

/** Returns the days from `from` on that are far outside of what is expected of each. */
export function daysOutside(
  bands: readonly Band[],
  totals: readonly SpentDay[],
  { from, today, sensitivity, usualUsd = 0 }: UnusualDaysQuery,
): UnusualDay[] {
  if (sensitivity === "off") return [];
  const recent = recentDays(totals, from);
  const byDay = new Map(totals.map((total) => [total.day, total]));
  return bands.flatMap((band, at): UnusualDay[] => {
    const day = from + at;
    const { value: usd, runs } = byDay.get(day) ?? { value: 0, runs: 0 };
    const { p10: low, p50: expected, p90: high } = band;
    const margin = Math.max(LEAST_SHARE * expected, leastMargin(usualUsd));
    const most = Math.max(
      expected + Math.max(widthFor(sensitivity, runs) * (high - expected), margin),
      mostUsual(recent),
    );
    const least = Math.min(
      expected - Math.max(WIDTHS[sensitivity] * (expected - low), margin),
      leastUsual(recent, day),
    );
    const found = { day, usd, expected, low, high };
    if (usd > most) return [{ ...found, direction: "above" }];
    return usd < least && day < today ? [{ ...found, direction: "below" }] : [];
  });
}

export function highest(totals: readonly { readonly value: number }[]): number {
  return Math.max(0, ...totals.map(({ value }) => value));
}

/** Of a day of the week. Zero if one of its days is missing, because then nothing was spent on it. */
function lowestOn(days: readonly DayTotal[], weekday: number): number {
  const alike = days.filter(({ day }) => weekdayOf(day) === weekday);
  return alike.length < RECENT_DAYS / 7 ? 0 : Math.min(...alike.map(({ value }) => value));
}
