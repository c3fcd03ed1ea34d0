import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { calendarWindow, windowAt } from "../../../src/domain/time/period.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/Sao_Paulo",
  "Australia/Lord_Howe",
  "Asia/Kolkata",
  "Pacific/Apia",
  "America/Havana",
  "Asia/Beirut",
  "Pacific/Kiritimati",
];
const PERIODS = ["day", "week", "month", "quarter", "year"] as const;
const LAST_ANCHOR = { day: 1, week: 7, month: 28, quarter: 1, year: 1 };

const asked = fc.record({
  timeZone: fc.constantFrom(...ZONES),
  period: fc.constantFrom(...PERIODS),
  anchor: fc.nat(),
  nowMs: fc.integer({ min: Date.parse("1990-01-01"), max: Date.parse("2060-01-01") }),
});

const localParts = (timeZone: string, ms: number) => {
  const text = new Date(ms).toLocaleString("sv-SE", { timeZone });
  return { date: text.slice(0, 10), time: text.slice(11) };
};

/** The local date on which the period of a local date began, found day by day. */
function firstDate(date: string, period: (typeof PERIODS)[number], anchorDay: number): string {
  for (let at = new Date(`${date}T00:00:00Z`); ; at = new Date(at.getTime() - 86_400_000)) {
    const [month, day, weekday] = [at.getUTCMonth(), at.getUTCDate(), ((at.getUTCDay() + 6) % 7) + 1];
    const begins = {
      day: true,
      week: weekday === anchorDay,
      month: day === anchorDay,
      quarter: day === 1 && month % 3 === 0,
      year: day === 1 && month === 0,
    }[period];
    if (begins) return at.toISOString().slice(0, 10);
  }
}

describe("a period in a time zone", () => {
  test("contains its time, and begins with the first moment of its first day, at any anchor and clock change", () => {
    fc.assert(
      fc.property(asked, ({ timeZone, period, anchor, nowMs }) => {
        const anchorDay = (anchor % LAST_ANCHOR[period]) + 1;
        const { startMs, endMs } = calendarWindow({ period, timeZone, anchorDay }, nowMs);
        if (endMs === null) throw new Error("it must end");
        expect([startMs <= nowMs, nowMs < endMs]).toEqual([true, true]);
        const [first, before] = [localParts(timeZone, startMs), localParts(timeZone, startMs - 1)];
        const began = firstDate(localParts(timeZone, nowMs).date, period, anchorDay);
        // A zone may skip the date itself, as Samoa did: then the next one is the first.
        expect(first.date >= began && before.date < first.date).toBe(true);
        expect(firstDate(first.date, period, anchorDay)).toBe(began);
        expect(calendarWindow({ period, timeZone, anchorDay }, endMs - 1)).toEqual({ startMs, endMs });
        expect(calendarWindow({ period, timeZone, anchorDay }, endMs).startMs).toBe(endMs);
      }),
      { numRuns: 1000 },
    );
  });

  test("in UTC and from the first day is the period as it always was", () => {
    fc.assert(
      fc.property(asked, ({ period, nowMs }) => {
        const calendar = { period, timeZone: "UTC", anchorDay: 1 };
        expect(calendarWindow(calendar, nowMs)).toEqual(windowAt(period, nowMs));
      }),
    );
  });

  test.each([
    ["spring", "2026-03-29T10:00:00Z", "day", 1, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
    ["autumn", "2026-10-25T10:00:00Z", "day", 1, "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"],
    [
      "a month from the 28th",
      "2026-03-01T00:00:00Z",
      "month",
      28,
      "2026-02-27T23:00:00Z",
      "2026-03-27T23:00:00Z",
    ],
    ["a week from Sunday", "2026-03-30T00:00:00Z", "week", 7, "2026-03-28T23:00:00Z", "2026-04-04T22:00:00Z"],
  ] as const)("has the length of the calendar: %s", (_, now, period, anchorDay, start, end) => {
    const calendar = { period, timeZone: "Europe/Berlin", anchorDay };
    expect(calendarWindow(calendar, Date.parse(now))).toEqual({
      startMs: Date.parse(start),
      endMs: Date.parse(end),
    });
  });
});
