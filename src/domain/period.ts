import { DAY_MS } from "../contract/durations.ts";
import type { PERIODS } from "../contract/lists.ts";
import { localDayAt, startOfLocalDay } from "./zone.ts";

export type Period = (typeof PERIODS)[number];

/** A half-open interval in milliseconds since the epoch. Without an end it never resets. */
export interface Window {
  readonly startMs: number;
  readonly endMs: number | null;
}

const WEEK_MS = 7 * DAY_MS;
/** The epoch was a Thursday: the first Monday came four days later. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const MONTHS_PER: Record<"month" | "quarter" | "year", number> = { month: 1, quarter: 3, year: 12 };

/** The window of a period that contains a time. `total` is one window, from the epoch on. */
export function windowAt(period: Period, nowMs: number): Window {
  if (period === "total") return { startMs: 0, endMs: null };
  if (period === "day") return alignedWindow(nowMs, DAY_MS, 0);
  if (period === "week") return alignedWindow(nowMs, WEEK_MS, FIRST_MONDAY_MS);
  return monthsWindow(nowMs, MONTHS_PER[period]);
}

/** The day in a time zone that contains a time. It has 23 or 25 hours when the clocks change. */
export function dayWindowIn(timeZone: string, nowMs: number): Window {
  let day = localDayAt(timeZone, nowMs);
  let startMs = startOfLocalDay(timeZone, day);
  // If clocks go back across midnight, a date occurs twice. Its day starts at the first one.
  if (startMs > nowMs) startMs = startOfLocalDay(timeZone, --day);
  let endMs = startOfLocalDay(timeZone, day + 1);
  if (endMs <= nowMs) {
    startMs = endMs;
    endMs = startOfLocalDay(timeZone, day + 2);
  }
  return { startMs, endMs };
}

function alignedWindow(nowMs: number, lengthMs: number, originMs: number): Window {
  const startMs = Math.floor((nowMs - originMs) / lengthMs) * lengthMs + originMs;
  return { startMs, endMs: startMs + lengthMs };
}

function monthsWindow(nowMs: number, months: number): Window {
  const now = new Date(nowMs);
  const first = Math.floor(now.getUTCMonth() / months) * months;
  const year = now.getUTCFullYear();
  return { startMs: Date.UTC(year, first), endMs: Date.UTC(year, first + months) };
}
