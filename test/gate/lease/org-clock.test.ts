import * as fc from "fast-check";
import { expect, test } from "vitest";
import { OrgClock } from "../../../src/gate/lease/org-clock.ts";

/** What happens next, and after how long. */
const event = fc.record({
  afterMs: fc.nat({ max: 300 }),
  do: fc.constantFrom("hold", "hold", "send", "acknowledge", "answer"),
  /** An answer: how long it took to write, and then to arrive. */
  writtenMs: fc.nat({ max: 400 }),
  cameMs: fc.nat({ max: 400 }),
});

test("no hold is made later than its report allows, or earlier than it says, by the org's clock", () => {
  const apart = fc.integer({ min: -10_000_000, max: 10_000_000 });
  fc.assert(
    fc.property(apart, fc.array(event, { maxLength: 60 }), (apartMs, events) => {
      const clock = new OrgClock();
      let now = 1_800_000_000_000;
      let unreported: { at: number; truly: number }[] = [];
      let sent = 0;
      for (const next of events) {
        now += next.afterMs;
        if (next.do === "answer") {
          const askedAt = now;
          const written = now + next.writtenMs;
          now = written + next.cameMs;
          clock.set(written + apartMs, askedAt, now);
        } else if (next.do === "hold") {
          const at = clock.at(now);
          if (at !== null) unreported.push({ at, truly: now + apartMs });
        } else if (next.do === "send") {
          const lagMs = clock.sent();
          sent = unreported.length;
          for (const { at, truly } of unreported) {
            expect(at).toBeLessThanOrEqual(truly);
            expect(truly).toBeLessThanOrEqual(at + lagMs);
          }
        } else if (sent > 0) {
          clock.acknowledged();
          unreported = unreported.slice(sent);
          sent = 0;
        }
      }
    }),
    { numRuns: 3000 },
  );
});

test("one quick answer bounds the clock, whatever slow ones come before and after", () => {
  const clock = new OrgClock();
  const apartMs = 5000;
  for (const [askedAt, written, came] of [
    [0, 900, 1000],
    [1000, 1001, 1002],
    [2000, 2100, 2900],
  ] as const) {
    clock.set(written + apartMs, askedAt, came);
  }
  clock.sent();
  clock.acknowledged();
  expect(clock.at(10_000)).toBe(10_000 + apartMs - 1);
  expect(clock.sent()).toBe(22);
});

test.each([3_600_000, -3_600_000])("a clock that was changed by %s ms is accepted at once", (setMs) => {
  const clock = new OrgClock();
  clock.set(1000, 998, 1002);
  clock.set(2000 + setMs, 1998, 2002);
  expect(clock.at(3000)).toBe(2998 + setMs);
});
