import type { SENSITIVITIES } from "../../contract/lists.ts";
import { historyOf, LEAST_HISTORY_DAYS, outlookOf } from "./forecast.ts";
import { bandsOf, simulate } from "./paths.ts";
import { type DayNumber, type DayTotal, weekdayOf } from "./series.ts";

export type Sensitivity = (typeof SENSITIVITIES)[number];

/** How far outside of the forecast's range a day must be, in widths of the range. */
const WIDTHS: Readonly<Record<Exclude<Sensitivity, "off">, number>> = { low: 5, normal: 4, high: 2.5 };

/** Less than this, in dollars or of what is usual, is not worth telling anybody. */
const LEAST_USD = 1;
const LEAST_SHARE = 0.25;
const LEAST_OF_ORG = 0.1;

/** What was spent in these days before is usual for whoever spends in bursts, and a little more than that, too. */
const RECENT_DAYS = 28;
const MORE_THAN_EVER = 1.5;
const LESS_THAN_EVER = 0.5;

export interface UnusualDay {
  readonly day: DayNumber;
  readonly usd: number;
  /** What was expected, and the forecast's range around it. */
  readonly expected: number;
  readonly low: number;
  readonly high: number;
  readonly direction: "above" | "below";
}

interface Asked {
  /** The first and the last day to look at. */
  readonly from: DayNumber;
  readonly to: DayNumber;
  /** Not over yet: it can be above what is usual, and not below. */
  readonly today: DayNumber;
  readonly sensitivity: Sensitivity;
  /** What the whole org usually spends in a day. A part of it that differs by little of that is nobody's concern. */
  readonly usualUsd?: number;
}

/**
 * The days that are far outside of what the days before `from` let expect. None if those are fewer than two weeks: whatever is
 * new is not unusual.
 */
export function unusualDays(totals: readonly DayTotal[], asked: Asked): UnusualDay[] {
  const { from, to, today, sensitivity, usualUsd = 0 } = asked;
  const last = Math.min(to, today);
  if (sensitivity === "off" || last < from) return [];
  const before = totals.filter(({ day }) => day < from);
  const first = before[0]?.day ?? from;
  if (from - first < LEAST_HISTORY_DAYS) return [];
  // The days before are over, so the day after them is as good as today.
  const history = historyOf(before, from);
  if (history === null) return [];
  const days = last - from + 1;
  const bands = bandsOf(simulate(outlookOf(history, days).model, days), days);
  const recent = before.filter(({ day }) => day >= from - RECENT_DAYS);
  const byDay = new Map(totals.map(({ day, value }) => [day, value]));
  return bands.flatMap((band, at): UnusualDay[] => {
    const day = from + at;
    const usd = byDay.get(day) ?? 0;
    const { p10: low, p50: expected, p90: high } = band;
    const width = WIDTHS[sensitivity];
    const margin = Math.max(LEAST_USD, LEAST_SHARE * expected, LEAST_OF_ORG * usualUsd);
    const most = Math.max(
      expected + Math.max(width * (high - expected), margin),
      MORE_THAN_EVER * highest(recent),
    );
    const least = Math.min(
      expected - Math.max(width * (expected - low), margin),
      LESS_THAN_EVER * lowestOn(recent, weekdayOf(day)),
    );
    const found = { day, usd, expected, low, high };
    if (usd > most) return [{ ...found, direction: "above" }];
    return usd < least && day < today ? [{ ...found, direction: "below" }] : [];
  });
}

function highest(days: readonly DayTotal[]): number {
  return Math.max(0, ...days.map(({ value }) => value));
}

/** Of a day of the week. Zero if one of its days is missing, because then nothing was spent on it. */
function lowestOn(days: readonly DayTotal[], weekday: number): number {
  const alike = days.filter(({ day }) => weekdayOf(day) === weekday);
  return alike.length < RECENT_DAYS / 7 ? 0 : Math.min(...alike.map(({ value }) => value));
}
