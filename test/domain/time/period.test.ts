import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../../src/contract/durations.ts";
import { dayWindowIn, windowAt } from "../../../src/domain/time/period.ts";
import { PERIODS } from "../../../src/contract/lists.ts";
import { formatInZone, isTimeZone } from "../../../src/domain/time/zone.ts";

const HOUR_MS = DAY_MS / 24;
const at = (text: string) => Date.parse(text);
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const moment = fc.integer({ min: at("1990-01-01T00:00:00Z"), max: at("2090-01-01T00:00:00Z") });

describe("a period", () => {
  test.each([
    ["day", "2026-11-15T00:00:00.000Z", "2026-11-16T00:00:00.000Z"],
    ["week", "2026-11-09T00:00:00.000Z", "2026-11-16T00:00:00.000Z"],
    ["month", "2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"],
    ["quarter", "2026-10-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["year", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ] as const)("%s is aligned to the calendar", (period, start, end) => {
    const window = windowAt(period, at("2026-11-15T23:59:59.999Z"));
    expect([iso(window.startMs), iso(window.endMs)]).toEqual([start, end]);
  });

  test("total never resets", () => {
    expect(windowAt("total", at("2026-11-15T00:00:00Z"))).toEqual({ startMs: 0, endMs: null });
  });

  test("contains its time, and the next one starts where it ends", () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERIODS), moment, (period, now) => {
        const window = windowAt(period, now);
        expect(window.startMs).toBeLessThanOrEqual(now);
        if (window.endMs === null) return;
        expect(window.endMs).toBeGreaterThan(now);
        expect(windowAt(period, window.endMs).startMs).toBe(window.endMs);
        expect(windowAt(period, window.endMs - 1)).toEqual(window);
      }),
    );
  });
});

describe("a day in a time zone", () => {
  const zones = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "Africa/Cairo",
    "Asia/Kolkata",
    "Asia/Beirut",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
  ];

  test("contains its time, and days have no gap and no overlap", () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, (zone, now) => {
        const window = dayWindowIn(zone, now);
        const end = window.endMs ?? Number.NaN;
        expect(window.startMs <= now && now < end).toBe(true);
        expect(dayWindowIn(zone, end).startMs).toBe(end);
        expect(dayWindowIn(zone, end - 1)).toEqual(window);
        expect(dayWindowIn(zone, window.startMs)).toEqual(window);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["Europe/Berlin", "2026-03-29T12:00:00Z", 23],
    ["Europe/Berlin", "2026-10-25T12:00:00Z", 25],
    ["America/New_York", "2026-11-01T12:00:00Z", 25],
    ["America/Sao_Paulo", "2018-11-04T12:00:00Z", 23],
    ["Australia/Lord_Howe", "2026-10-04T02:00:00Z", 23.5],
    ["Asia/Kolkata", "2026-03-29T12:00:00Z", 24],
  ])("in %s at %s has %d hours", (zone, now, hours) => {
    const window = dayWindowIn(zone, at(now));
    expect(((window.endMs ?? 0) - window.startMs) / HOUR_MS).toBe(hours);
  });

  test("ends at midnight there, written with the offset in force at that time", () => {
    const window = dayWindowIn("Europe/Berlin", at("2026-10-25T12:00:00Z"));
    expect(formatInZone("Europe/Berlin", window.endMs ?? 0)).toBe("2026-10-26T00:00:00.000+01:00");
    expect(formatInZone("Europe/Berlin", window.startMs)).toBe("2026-10-25T00:00:00.000+02:00");
    expect(formatInZone("America/St_Johns", 0)).toBe("1969-12-31T20:30:00.000-03:30");
    expect(formatInZone("UTC", 0)).toBe("1970-01-01T00:00:00.000+00:00");
  });
});

test.each([
  ["UTC", true],
  ["Europe/Berlin", true],
  ["America/Argentina/Buenos_Aires", true],
  ["Etc/GMT+5", true],
  ["+01:00", false],
  ["Mars/Olympus", false],
  ["", false],
  ["Europe/Berlin ", false],
])("%j is a time zone: %s", (text, expected) => expect(isTimeZone(text)).toBe(expected));
