import { afterEach, expect, test, vi } from "vitest";
import { SteadyClock } from "../../src/client/gate/steady-clock.ts";

const HOUR_MS = 3_600_000;
const START_MS = 1_800_000_000_000;

/** A clock whose machine's clocks are moved by hand. */
function clockOf() {
  let [wall, monotonic] = [START_MS, 5000.25];
  vi.spyOn(Date, "now").mockImplementation(() => Math.floor(wall));
  vi.spyOn(performance, "now").mockImplementation(() => monotonic);
  const clock = new SteadyClock();
  const startedAt = clock.now();
  return {
    passed: () => clock.now() - startedAt,
    move: ({ wallMs = 0, monotonicMs = 0 }) => {
      wall += wallMs;
      monotonic += monotonicMs;
    },
  };
}

afterEach(() => vi.restoreAllMocks());

test("a steady clock shows whole milliseconds of the wall clock", () => {
  clockOf();
  expect(new SteadyClock().now()).toBe(START_MS);
});

test("a steady clock passes as time does, however often it is read", () => {
  const { passed, move } = clockOf();
  for (let step = 0; step < 10_000; step += 1) {
    move({ wallMs: 0.3, monotonicMs: 0.3 });
    passed();
  }
  expect(Math.abs(passed() - 3000)).toBeLessThanOrEqual(1);
});

test("a steady clock goes on when the wall clock is set back", () => {
  const { passed, move } = clockOf();
  move({ wallMs: -HOUR_MS });
  expect(passed()).toBe(0);
  move({ wallMs: 1000, monotonicMs: 1000 });
  expect(passed()).toBe(1000);
});

test("a steady clock goes ahead with the wall clock, and stays there when that is set right", () => {
  const { passed, move } = clockOf();
  move({ wallMs: HOUR_MS });
  expect(passed()).toBe(HOUR_MS);
  move({ wallMs: -HOUR_MS });
  expect(passed()).toBe(HOUR_MS);
  move({ wallMs: 500, monotonicMs: 500 });
  expect(passed()).toBe(HOUR_MS + 500);
});

test("a steady clock counts the time that a machine slept, also after its clock was set right", () => {
  const { passed, move } = clockOf();
  for (const wallMs of [HOUR_MS, -HOUR_MS]) {
    move({ wallMs });
    passed();
  }
  move({ wallMs: 60_000 });
  expect(passed()).toBe(HOUR_MS + 60_000);
});
