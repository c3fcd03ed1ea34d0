import { DAY_MS } from "../../contract/durations.ts";
import type { PERIODS } from "../../contract/lists.ts";
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

/** Periods of a calendar in a time zone. */
export interface Calendar {
  readonly period: Period;
  readonly timeZone: string;
  /** The day on which a month (1 to 28) or a week (1 is Monday) begins. */
  readonly anchorDay: number;
}

/** The window of a calendar that contains a time. It begins and ends with a day in the time zone. */
export function calendarWindow({ period, timeZone, anchorDay }: Calendar, nowMs: number): Window {
  if (period === "total") return windowAt(period, nowMs);
  const step = stepsOf(period, anchorDay);
  let number = step.numberOf(localDayAt(timeZone, nowMs));
  const startOf = (at: number) => startOfLocalDay(timeZone, step.firstDayOf(at));
  // Where clocks go back across midnight a date occurs twice, and where a zone skips a date it is empty.
  while (startOf(number) > nowMs) number -= 1;
  while (startOf(number + 1) <= nowMs) number += 1;
  return { startMs: startOf(number), endMs: startOf(number + 1) };
}

/** The periods of a calendar by number, and the first day of each. Days are counted from 1970-01-01. */
interface Steps {
  readonly numberOf: (day: number) => number;
  readonly firstDayOf: (number: number) => number;
}

function stepsOf(period: Exclude<Period, "total">, anchorDay: number): Steps {
  if (period === "day") return { numberOf: (day) => day, firstDayOf: (number) => number };
  if (period === "week") {
    const origin = FIRST_MONDAY_MS / DAY_MS + anchorDay - 1;
    return {
      numberOf: (day) => Math.floor((day - origin) / 7),
      firstDayOf: (number) => number * 7 + origin,
    };
  }
  const months = MONTHS_PER[period];
  return {
    numberOf(day) {
      const date = new Date(day * DAY_MS);
      const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
      return Math.floor((date.getUTCDate() < anchorDay ? month - 1 : month) / months);
    },
    firstDayOf: (number) => Date.UTC(1970, number * months, anchorDay) / DAY_MS,
  };
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
