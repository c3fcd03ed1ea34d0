import { DAY_MS, MINUTE_MS } from "../../contract/durations.ts";

/** A cache, because creating a formatter is expensive. It is bounded for any input. */
const MAX_FORMATTERS = 64;
const formatters = new Map<string, Formatter>();

interface Formatter {
  readonly clock: Intl.DateTimeFormat;
  /** What each number in its text stands for. The order differs between runtimes. */
  readonly order: readonly string[];
}

const ZONE_PATTERN = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;

/**
 * Returns whether the text names an IANA time zone. An offset such as `+01:00` is not one, because it has no daylight
 * saving time.
 */
export function isTimeZone(text: string): boolean {
  if (!ZONE_PATTERN.test(text)) return false;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The offset of a zone from UTC at a given time. */
export function offsetMs(timeZone: string, atMs: number): number {
  if (timeZone === "UTC") return 0;
  const wholeSecondMs = Math.floor(atMs / 1000) * 1000;
  const { clock, order } = formatterFor(timeZone);
  const numbers = clock.format(wholeSecondMs).match(/\d+/g) ?? [];
  const field = Object.fromEntries(order.map((name, at) => [name, Number(numbers[at])]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = field;
  return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecondMs;
}

/** The number of the calendar day, counted from 1970-01-01, in a zone at a time. */
export function localDayAt(timeZone: string, atMs: number): number {
  return Math.floor((atMs + offsetMs(timeZone, atMs)) / DAY_MS);
}

/**
 * The first moment of a calendar day. If midnight occurs twice, it is the first one. If the clocks skip midnight, it is
 * the moment of the change.
 */
export function startOfLocalDay(timeZone: string, day: number): number {
  const midnightMs = day * DAY_MS;
  const before = offsetMs(timeZone, midnightMs - DAY_MS);
  const after = offsetMs(timeZone, midnightMs + DAY_MS);
  const earliest = midnightMs - Math.max(before, after);
  const latest = midnightMs - Math.min(before, after);
  for (const candidate of [earliest, latest]) {
    if (candidate + offsetMs(timeZone, candidate) === midnightMs) return candidate;
  }
  return jumpBetween(timeZone, earliest, latest);
}

/** RFC 3339 with milliseconds and the zone's numeric offset. */
export function formatInZone(timeZone: string, atMs: number): string {
  const offset = offsetMs(timeZone, atMs);
  const local = new Date(atMs + offset).toISOString().slice(0, -1);
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  return `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function jumpBetween(timeZone: string, fromMs: number, toMs: number): number {
  const target = offsetMs(timeZone, toMs);
  let low = fromMs;
  let high = toMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(timeZone, middle) === target) high = middle;
    else low = middle;
  }
  return high;
}

function formatterFor(timeZone: string): Formatter {
  const known = formatters.get(timeZone);
  if (known) return known;
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "iso8601",
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const parts = clock.formatToParts(0).filter(({ type }) => type !== "literal");
  const made = { clock, order: parts.map(({ type }) => type) };
  formatters.set(timeZone, made);
  return made;
}
