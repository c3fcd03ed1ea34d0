import * as fc from "fast-check";
import { expect, test } from "vitest";
import { largestFitting } from "../../../src/domain/meter/largest-fit.ts";
import { ceilingOf, reservationOf } from "../../../src/domain/price/ceiling.ts";
import { anyPriceWithUnits } from "../price/any-price.ts";

test("of a range, the largest number that fits is found, or none if the least does not fit", () => {
  const range = fc.tuple(fc.nat(10 ** 12), fc.nat(10 ** 12)).map(([one, other]) => ({
    least: Math.min(one, other),
    most: Math.max(one, other),
  }));
  fc.assert(
    fc.property(range, fc.nat(10 ** 12), ({ least, most }, bound) => {
      let looks = 0;
      const found = largestFitting({ least, most }, (number) => {
        looks += 1;
        return number <= bound;
      });
      expect(found).toBe(bound < least ? null : Math.min(bound, most));
      expect(looks).toBeLessThanOrEqual(45);
    }),
  );
});

test("a range of one number, of two, and one that is empty", () => {
  const upTo = (bound: number) => (number: number) => number <= bound;
  expect(largestFitting({ least: 5, most: 5 }, upTo(5))).toBe(5);
  expect(largestFitting({ least: 5, most: 5 }, upTo(4))).toBeNull();
  expect(largestFitting({ least: 5, most: 6 }, upTo(5))).toBe(5);
  expect(largestFitting({ least: 5, most: 6 }, upTo(6))).toBe(6);
  expect(largestFitting({ least: 5, most: 4 }, upTo(9))).toBeNull();
});

test("at any price, what fits into a room of dollars fits exactly, tiers and rounding included", () => {
  const tokens = fc.nat(500_000);
  fc.assert(
    fc.property(
      anyPriceWithUnits,
      tokens,
      fc.integer({ min: 1, max: 500_000 }),
      fc.integer({ min: 1, max: 10 ** 6 }),
      fc.oneof(fc.bigInt(0n, 1000n), fc.bigInt(0n, 10n ** 15n)),
      (price, input, least, more, room) => {
        const ceiling = ceilingOf(price);
        const costOf = (outputTokens: number) => {
          const nanos = reservationOf(
            ceiling,
            { inputTokens: input, outputTokens, units: { search: 3 } },
            undefined,
          );
          return typeof nanos === "bigint" ? nanos : -1n;
        };
        const range = { least, most: least + more };
        const found = largestFitting(range, (output) => costOf(output) <= room);
        if (found === null) expect(costOf(least)).toBeGreaterThan(room);
        else {
          expect(costOf(found)).toBeLessThanOrEqual(room);
          if (found < range.most) expect(costOf(found + 1)).toBeGreaterThan(room);
        }
      },
    ),
  );
});
