import { expect, test } from "vitest";
import { leastOfLargest } from "../../../src/domain/usage-report/largest.ts";

const COUNT = 5000;
const rising = Array.from({ length: COUNT }, (_, at) => at);
const shuffled = rising.map((at) => (at * 1237) % COUNT);

test.each([
  ["rising", rising],
  ["falling", rising.toReversed()],
  ["shuffled", shuffled],
  ["many equal", shuffled.map((size) => size % 7)],
  ["below zero", shuffled.map((size) => -size)],
  ["infinite", shuffled.map((size) => (size % 3 === 0 ? Infinity : -Infinity))],
])("the least of the largest is that of all sorted: %s", (_, sizes) => {
  const sorted = sizes.toSorted((one, other) => (one === other ? 0 : other - one));
  for (const most of [1, 10, 30, 999, 1000, 1001, 4000, COUNT]) {
    expect([most, leastOfLargest(sizes, most)]).toEqual([most, sorted[most - 1]]);
  }
});

test("fewer than are asked for are all among the largest", () => {
  expect(leastOfLargest([3, 1, 2], 4)).toBe(-Infinity);
  expect(leastOfLargest([], 1)).toBe(-Infinity);
});
