import { DAY_MS } from "./durations.ts";

/** Dates as HTTP writes them: RFC 7231 IMF-fixdate, `Fri, 31 Dec 2027 23:59:59 GMT`. No other format is accepted. */

const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

export function imfFixdate(atMs: number): string {
  return new Date(atMs).toUTCString();
}

/** Undefined unless the text is exactly what `imfFixdate` writes. A wrong weekday or 31 April is not a date. */
export function parseImfFixdate(text: string): number | undefined {
  if (!IMF_FIXDATE.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) || imfFixdate(atMs) !== text ? undefined : atMs;
}

/** Midnight UTC of a `YYYY-MM-DD` that exists. */
export function parseIsoDate(text: string): number | undefined {
  if (!ISO_DATE.test(text)) return undefined;
  const atMs = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(atMs) || isoDate(atMs) !== text ? undefined : atMs;
}

export function isoDate(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/**
 * A sunset as an operator may write it: an HTTP-date, an RFC 3339 timestamp, or a date, which includes that whole day.
 * HTTP-dates have no fractions, so fractions are rounded up: a sunset is never shortened, not even by a millisecond.
 */
export function parseSunset(text: string): number | undefined {
  const atMs = sunsetOf(text);
  // An HTTP-date cannot express other years, so they could not be parsed again.
  return atMs === undefined || parseImfFixdate(imfFixdate(atMs)) !== atMs ? undefined : atMs;
}

function sunsetOf(text: string): number | undefined {
  const http = parseImfFixdate(text);
  if (http !== undefined) return http;
  const day = parseIsoDate(text);
  if (day !== undefined) return day + DAY_MS - 1000;
  if (!RFC3339.test(text) || parseIsoDate(text.slice(0, 10)) === undefined) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.ceil(atMs / 1000) * 1000;
}
