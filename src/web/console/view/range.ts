import { DAY_MS } from "../../../contract/durations.ts";
import { day } from "./format.ts";

/** A range of days in UTC, and the one before it that it is compared with. */
export interface Range {
  readonly name: RangeName;
  readonly from: string;
  /** Not included. */
  readonly to: string;
  readonly days: number;
  readonly previous: { readonly from: string; readonly to: string };
  /** Why the days that were asked for cannot be shown. */
  readonly problem: string | null;
}

export const RANGES = [
  ["today", "Today"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["month", "Month to date"],
  ["custom", "Custom"],
] as const;
export type RangeName = (typeof RANGES)[number][0];

const DEFAULT = "30d";
const MOST_DAYS = 90;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function rangeOf(query: URLSearchParams, nowMs: number): Range {
  const asked = RANGES.find(([name]) => name === query.get("range"))?.[0] ?? DEFAULT;
  if (asked !== "custom") return named(asked, nowMs, null);
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  const problem = problemOf(from, to);
  if (problem !== null) return named(DEFAULT, nowMs, problem);
  return { ...before(Date.parse(from), Date.parse(to)), name: "custom", problem: null };
}

function problemOf(from: string, to: string): string | null {
  const valid = [from, to].every((text) => DATE.test(text) && !Number.isNaN(Date.parse(text)));
  if (!valid) return "Give two dates, such as 2026-11-01.";
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  if (days < 1) return "The second date must be after the first: it is not included.";
  return days > MOST_DAYS ? `Choose at most ${MOST_DAYS} days.` : null;
}

function named(name: Exclude<RangeName, "custom">, nowMs: number, problem: string | null): Range {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const to = today + DAY_MS;
  if (name !== "month") {
    const days = { today: 1, "7d": 7, "30d": 30 }[name];
    return { ...before(to - days * DAY_MS, to), name, problem };
  }
  const now = new Date(today);
  const first = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const last = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1);
  const until = Math.min(last + (to - first), first);
  return {
    ...before(first, to),
    previous: { from: dateOf(last), to: dateOf(until) },
    name,
    problem,
  };
}

function before(from: number, to: number): Pick<Range, "from" | "to" | "days" | "previous"> {
  return {
    from: dateOf(from),
    to: dateOf(to),
    days: Math.round((to - from) / DAY_MS),
    previous: { from: dateOf(from - (to - from)), to: dateOf(from) },
  };
}

/** `5 Nov` for one day, `5 to 9 Nov` style for more: the last day is the one before `to`. */
export function daysIn({ from, to }: Pick<Range, "from" | "to">): string {
  const last = dateOf(Date.parse(to) - DAY_MS);
  return last === from ? day(from) : `${day(from)} to ${day(last)}`;
}

/** Every day of a range, also those without runs. */
export function everyDay({ from, days }: Range): string[] {
  return Array.from({ length: days }, (_, index) => dateOf(Date.parse(from) + index * DAY_MS));
}
