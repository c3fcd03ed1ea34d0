import { expect, test } from "vitest";
import { runsOutAt } from "../../../src/domain/meter/burn-rate.ts";

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 1);
const NOW = START + 10 * DAY_MS;
const month = { startMs: START, endMs: Date.UTC(2026, 11, 1) };

test("a limit that is half used after ten days lasts ten more at that pace", () => {
  expect(runsOutAt({ used: 50n, room: 50n, ...month }, NOW)).toBe(NOW + 10 * DAY_MS);
});

test("a limit that lasts until it resets does not run out", () => {
  expect(runsOutAt({ used: 10n, room: 90n, ...month }, NOW)).toBeNull();
  expect(runsOutAt({ used: 0n, room: 90n, ...month }, NOW)).toBeNull();
});

test("a limit without room has run out", () => {
  expect(runsOutAt({ used: 0n, room: 0n, ...month }, NOW)).toBe(NOW);
  expect(runsOutAt({ used: 9n, room: -1n, ...month }, NOW)).toBe(NOW);
});

test("the first minute of a period says nothing about its pace: an hour is assumed", () => {
  const paced = runsOutAt({ used: 50n, room: 50n, startMs: NOW - 60_000, endMs: null }, NOW);
  expect(paced).toBe(NOW + 3_600_000);
});

test("what is more than 400 days ahead is not foretold", () => {
  expect(runsOutAt({ used: 1n, room: 100n, startMs: START, endMs: null }, NOW)).toBeNull();
});
