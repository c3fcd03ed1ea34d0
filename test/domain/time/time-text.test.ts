import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TimeText } from "../../../src/domain/time/time-text.ts";

const NOW = Date.UTC(2026, 10, 16, 12, 0, 59, 990);

test("times are written like toISOString writes them, in whichever order they come", () => {
  const near = fc.integer({ min: NOW - 3000, max: NOW + 3000 });
  const any = fc.integer({ min: -8.64e15, max: 8.64e15 });
  const fraction = near.map((ms) => ms + 0.5);
  const times = fc.array(fc.oneof(near, near, any, fraction), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(times, (all) => {
      const text = new TimeText();
      expect(all.map((ms) => text.of(ms))).toEqual(all.map((ms) => new Date(ms).toISOString()));
    }),
  );
});

test("a time that is none is refused like toISOString does", () => {
  expect(() => new TimeText().of(Number.POSITIVE_INFINITY)).toThrow(RangeError);
});
