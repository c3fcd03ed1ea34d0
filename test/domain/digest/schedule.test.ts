import { describe, expect, test } from "vitest";
import { type DigestTime, digestDays, nextDigestAt } from "../../../src/domain/digest/schedule.ts";
import { dateOfDay } from "../../../src/domain/forecast/series.ts";

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const daily = (at: string, timeZone = "Europe/Zurich"): DigestTime => ({ every: "day", at, timeZone });

/** The next times, one after another. */
function timesOf(digest: DigestTime, from: string, count: number): string[] {
  const times: string[] = [];
  let now = Date.parse(from);
  for (let at = 0; at < count; at += 1) {
    now = nextDigestAt(digest, now);
    times.push(iso(now));
  }
  return times;
}

describe("a digest is due", () => {
  test("at its local time, also when the clocks go forward and back", () => {
    expect(timesOf(daily("09:00"), "2026-03-27T12:00:00Z", 3)).toEqual([
      "2026-03-28T08:00",
      "2026-03-29T07:00",
      "2026-03-30T07:00",
    ]);
    expect(timesOf(daily("09:00"), "2026-10-23T12:00:00Z", 3)).toEqual([
      "2026-10-24T07:00",
      "2026-10-25T08:00",
      "2026-10-26T08:00",
    ]);
  });

  test("once on a day whose time is skipped, and once where it comes twice", () => {
    expect(timesOf(daily("02:30"), "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:30",
      "2026-03-30T00:30",
    ]);
    expect(timesOf(daily("02:30"), "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
  });

  test("every day of a year exactly once, in zones of both hemispheres", () => {
    for (const [zone, at] of [
      ["America/New_York", "02:15"],
      ["Australia/Lord_Howe", "02:15"],
      ["America/Santiago", "00:00"],
      ["Asia/Kathmandu", "23:59"],
    ] as const) {
      const digest = daily(at, zone);
      let now = Date.parse("2026-01-01T12:00:00Z");
      const days = new Set<string>();
      for (let count = 0; count < 365; count += 1) {
        now = nextDigestAt(digest, now);
        days.add(dateOfDay(digestDays(digest, now).from));
      }
      expect([zone, at, days.size]).toEqual([zone, at, 365]);
    }
  });

  test("on Mondays, and on the first of a month", () => {
    expect(timesOf({ every: "week", at: "09:00", timeZone: "UTC" }, "2026-11-17T00:00:00Z", 2)).toEqual([
      "2026-11-23T09:00",
      "2026-11-30T09:00",
    ]);
    expect(timesOf({ every: "month", at: "09:00", timeZone: "UTC" }, "2026-11-01T08:00:00Z", 2)).toEqual([
      "2026-11-01T09:00",
      "2026-12-01T09:00",
    ]);
  });
});

test("a digest is about the period that is over, beside the one before", () => {
  const days = (every: DigestTime["every"], at: string) => {
    const { from, to, previousFrom } = digestDays(
      { every, at: "09:00", timeZone: "Asia/Tokyo" },
      Date.parse(at),
    );
    return [previousFrom, from, to].map(dateOfDay);
  };
  expect(days("day", "2026-11-17T00:00:00Z")).toEqual(["2026-11-15", "2026-11-16", "2026-11-17"]);
  expect(days("week", "2026-11-16T00:00:00Z")).toEqual(["2026-11-02", "2026-11-09", "2026-11-16"]);
  expect(days("month", "2026-11-01T00:00:00Z")).toEqual(["2026-09-01", "2026-10-01", "2026-11-01"]);
});
