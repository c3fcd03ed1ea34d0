import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type MeterWindow, windowOf } from "../../../src/domain/meter/meter.ts";
import { ByValidity, ValidityInterval } from "../../../src/domain/time/validity-interval.ts";

const HOUR_MS = 3_600_000;
const zone = fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "Pacific/Apia");
const period = fc.constantFrom("day" as const, "week" as const, "month" as const, "total" as const);
const window: fc.Arbitrary<MeterWindow> = fc.oneof(
  period.map((of) => ({ kind: "period" as const, period: of })),
  zone.map((timeZone) => ({ kind: "local_day" as const, timeZone })),
  fc.record({
    kind: fc.constant("calendar" as const),
    period,
    timeZone: zone,
    anchorDay: fc.integer({ min: 1, max: 7 }),
  }),
);
/** Hours around changes of clocks and of a month, and one in which Samoa skipped a day. */
const hour = fc.oneof(
  fc.integer({ min: Date.parse("2026-03-25"), max: Date.parse("2026-04-08") }),
  fc.integer({ min: Date.parse("2011-12-28"), max: Date.parse("2012-01-02") }),
);
const moment = hour.map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS);
const limits = fc.array(fc.record({ window, sinceMs: moment }), { minLength: 1, maxLength: 4 });

test("a spell has the times at which the same counters count, and those that began to count are the same", () => {
  fc.assert(
    fc.property(
      limits,
      moment,
      fc.integer({ min: -50, max: 50 }),
      fc.boolean(),
      (meters, atMs, hours, isJust) => {
        const spell = new ValidityInterval(atMs);
        for (const meter of meters) spell.withStart(meter).withWindow(windowOf(meter, atMs));
        const countedAt = (ms: number) =>
          meters.map((meter) => [meter.sinceMs <= ms, windowOf(meter, ms)] as const);
        const otherMs = atMs + hours * HOUR_MS - (isJust ? 1 : 0);
        const [low, high] = [Math.min(atMs, otherMs), Math.max(atMs, otherMs)];
        // One window is whole: between two times in it, there is none of another.
        const isSame = JSON.stringify(countedAt(low)) === JSON.stringify(countedAt(high));
        expect(spell.has(otherMs)).toBe(isSame);
      },
    ),
    { numRuns: 3000 },
  );
});

test("what is kept for a spell is found at its times only, each spell apart", () => {
  const days = new ByValidity<string>();
  const DAY_MS = 24 * HOUR_MS;
  for (const day of [3, 1]) {
    const spell = new ValidityInterval(day * DAY_MS + 5).withWindow({
      startMs: day * DAY_MS,
      endMs: (day + 1) * DAY_MS,
    });
    expect(days.keep(spell, `day ${day}`)).toBe(`day ${day}`);
  }
  const at = (ms: number) => days.at(ms);
  expect([at(DAY_MS - 1), at(DAY_MS), at(2 * DAY_MS - 1), at(2 * DAY_MS)]).toEqual([
    undefined,
    "day 1",
    "day 1",
    undefined,
  ]);
  expect([at(3 * DAY_MS), at(4 * DAY_MS)]).toEqual(["day 3", undefined]);
});
