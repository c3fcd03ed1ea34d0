import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bucketAt,
  quotaWindow,
  retryAfterSeconds,
  slidingWindow,
  takeFromWindow,
  type BucketAmount,
  usageInWindow,
  waitMs,
} from "../../../src/domain/rate/sliding-window.ts";

const START = 1_763_172_000_123;
const steps = fc.array(fc.record({ afterMs: fc.nat(20_000), amount: fc.integer({ min: 1, max: 7 }) }), {
  minLength: 1,
  maxLength: 120,
});
const windows = fc.integer({ min: 1, max: 90 });
const limits = fc.integer({ min: 0, max: 40 });

/** Admits each step that fits, as a meter does, and returns what was admitted when. */
function admit(windowSeconds: number, limit: number, load: { afterMs: number; amount: number }[]) {
  const window = slidingWindow(windowSeconds);
  const admitted: { at: number; amount: number }[] = [];
  let taken: BucketAmount[] = [];
  let now = START;
  for (const { afterMs, amount } of load) {
    now += afterMs;
    if (usageInWindow(window, taken, now) + amount > limit) continue;
    taken = takeFromWindow(window, taken, { amount, atMs: now, nowMs: now });
    admitted.push({ at: now, amount });
  }
  return { window, admitted, taken, now };
}

describe("a sliding window", () => {
  test("admits no more than its limit in any interval of its length", () => {
    fc.assert(
      fc.property(windows, limits, steps, (windowSeconds, limit, load) => {
        const { admitted } = admit(windowSeconds, limit, load);
        for (const first of admitted) {
          const inside = admitted.filter(({ at }) => at >= first.at && at <= first.at + windowSeconds * 1000);
          expect(inside.reduce((sum, { amount }) => sum + amount, 0)).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("allows a refused amount after exactly the stated wait, and not a millisecond earlier", () => {
    fc.assert(
      fc.property(
        windows,
        limits,
        steps,
        fc.integer({ min: 1, max: 7 }),
        (windowSeconds, limit, load, amount) => {
          const { window, taken, now } = admit(windowSeconds, limit, load);
          const wait = waitMs(window, taken, { limit, amount, nowMs: now });
          expect(wait === null).toBe(amount > limit);
          if (wait === null) return;
          expect(usageInWindow(window, taken, now + wait) + amount).toBeLessThanOrEqual(limit);
          expect(wait === 0 || usageInWindow(window, taken, now + wait - 1) + amount > limit).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("names a wait in whole seconds that is never too short", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (wait) => {
        expect(retryAfterSeconds(wait) * 1000).toBeGreaterThanOrEqual(wait);
        expect(retryAfterSeconds(wait)).toBeGreaterThanOrEqual(1);
        expect(retryAfterSeconds(wait) * 1000).toBeLessThan(wait + 1001);
      }),
    );
  });

  test("is open again after its length and one bucket, whatever happened in it", () => {
    fc.assert(
      fc.property(windows, limits, steps, (windowSeconds, limit, load) => {
        const { window, taken, now } = admit(windowSeconds, limit, load);
        expect(usageInWindow(window, taken, now + window.windowMs + window.bucketMs)).toBe(0);
        expect(window.bucketMs).toBeLessThanOrEqual(window.windowMs / 100);
      }),
    );
  });

  test("counts a future amount from now on, and returns it in full", () => {
    const window = slidingWindow(60);
    const taken = takeFromWindow(window, [], { amount: 5, atMs: START + 900, nowMs: START });
    expect(usageInWindow(window, taken, START)).toBe(5);
    expect(usageInWindow(window, taken, START + 60_000)).toBe(5);
    expect(takeFromWindow(window, taken, { amount: -5, atMs: START + 900, nowMs: START })).toEqual([]);
  });

  test("keeps no bucket that has left it", () => {
    const window = slidingWindow(60);
    let taken: BucketAmount[] = [];
    for (let at = START; at < START + 600_000; at += 100)
      taken = takeFromWindow(window, taken, { amount: 1, atMs: at, nowMs: at });
    expect(taken.length).toBeLessThanOrEqual(122);
    expect(taken.every(([bucket]) => bucket >= bucketAt(window, START + 540_000) - 2)).toBe(true);
  });
});

test("quota windows tile time: each moment is in exactly one, aligned to the epoch", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 86_400 * 31 }), fc.nat(4_000_000_000_000), (seconds, now) => {
      const { startMs, endMs } = quotaWindow(seconds, now);
      expect(startMs).toBeLessThanOrEqual(now);
      expect(endMs).toBeGreaterThan(now);
      expect(endMs - startMs).toBe(seconds * 1000);
      expect(quotaWindow(seconds, endMs).startMs).toBe(endMs);
    }),
  );
});
