import { DAY_MS, MINUTE_MS } from "../../contract/durations.ts";
import type { DIGEST_PERIODS } from "../../contract/lists.ts";
import { calendarWindow, type Window } from "../time/period.ts";
import { localDayAt, offsetMs } from "../time/zone.ts";

/** When a digest is due, as its owner wrote it. */
export interface DigestTime {
  readonly every: (typeof DIGEST_PERIODS)[number];
  /** A time of the day, `09:00`. */
  readonly at: string;
  readonly timeZone: string;
}

const windowAt = ({ every, timeZone }: DigestTime, atMs: number): Window =>
  calendarWindow({ period: every, timeZone, anchorDay: 1 }, atMs);

/** The first time after `nowMs` at which it is due: at its time on the first day of a period. */
export function nextDigestAt(digest: DigestTime, nowMs: number): number {
  const current = windowAt(digest, nowMs);
  const due = timeOnDay(digest, localDayAt(digest.timeZone, current.startMs));
  if (due > nowMs || current.endMs === null) return due;
  return timeOnDay(digest, localDayAt(digest.timeZone, current.endMs));
}

/**
 * A local time on a calendar day. One that the clocks skip is as much later, and of one that comes twice it is the first, so
 * every day has it once.
 */
function timeOnDay({ at, timeZone }: DigestTime, day: number): number {
  const [hours = "0", minutes = "0"] = at.split(":");
  const local = day * DAY_MS + (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
  const offsets = [offsetMs(timeZone, local - DAY_MS), offsetMs(timeZone, local + DAY_MS)];
  const found = offsets
    .map((offset) => local - offset)
    .filter((candidate) => candidate + offsetMs(timeZone, candidate) === local);
  return found.length > 0 ? Math.min(...found) : local - (offsets[0] ?? 0);
}

/** Whole days, as numbers since 1970-01-01. The end is not included. */
export interface DigestDays {
  readonly from: number;
  readonly to: number;
  readonly previousFrom: number;
}

/** The period that was over when a digest was due, and the one before it. */
export function digestDays(digest: DigestTime, dueMs: number): DigestDays {
  const { startMs } = windowAt(digest, dueMs);
  const period = windowAt(digest, startMs - 1);
  const previous = windowAt(digest, period.startMs - 1);
  const day = (ms: number) => localDayAt(digest.timeZone, ms);
  return { from: day(period.startMs), to: day(startMs), previousFrom: day(previous.startMs) };
}
