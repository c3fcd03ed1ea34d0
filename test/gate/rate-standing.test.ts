import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RatePolicy, standingOf } from "../../src/domain/rate/policy.ts";
import {
  bucketAt,
  roomAhead,
  slidingWindow,
  type BucketAmount,
  usageInWindow,
} from "../../src/domain/rate/sliding-window.ts";
import type { ObjectAnswer } from "../../src/gate/org-gate.ts";
import { rateStandingNow } from "../../src/gate/snapshot/rate-standing.ts";
import type { RateInfo } from "../../src/gate/lease/wire.ts";

const NOW = 1_763_172_000_123;
const policyOf = (limit: number, seconds: number, kind: "rate" | "quota" = "rate"): RatePolicy => ({
  id: "rlp_1",
  name: "tokens",
  match: {},
  unit: "tokens",
  limit,
  window_seconds: seconds,
  kind,
});

/** What the object tells of a limit, in the isolate's time. */
function told(policy: RatePolicy, taken: readonly BucketAmount[], nowMs: number): ObjectAnswer<RateInfo> {
  const standing = standingOf(policy, taken, { amount: 1, nowMs });
  const window = slidingWindow(policy.window_seconds);
  const ahead = roomAhead(window, taken, { limit: policy.limit, nowMs });
  return { info: { key: "k", ...standing, moreInMs: 0, ahead }, askedAt: nowMs, at: nowMs };
}

/** A full sliding window: what was taken in it, and when. */
const full = fc
  .record({
    seconds: fc.integer({ min: 1, max: 3600 }),
    parts: fc.array(fc.record({ ago: fc.nat(119), amount: fc.nat(50) }), {
      minLength: 1,
      maxLength: 150,
      size: "max",
    }),
    beyond: fc.nat(20),
  })
  .map(({ seconds, parts, beyond }) => {
    const window = slidingWindow(seconds);
    const sums = new Map<number, number>();
    for (const { ago, amount } of parts) {
      const bucket = bucketAt(window, NOW) - ago;
      sums.set(bucket, (sums.get(bucket) ?? 0) + amount + 1);
    }
    const taken = [...sums].sort((left, right) => left[0] - right[0]);
    const used = usageInWindow(window, taken, NOW);
    return { window, taken, policy: policyOf(Math.max(1, used - beyond), seconds) };
  });

describe("an isolate that refuses by a full limit", () => {
  test("names a wait that is long enough for the amount that was asked", () => {
    fc.assert(
      fc.property(full, fc.nat(100), fc.nat(900), ({ window, taken, policy }, part, after) => {
        const amount = 1 + Math.floor((part / 100) * (policy.limit - 1));
        const known = told(policy, taken, NOW);
        const now = NOW + after;
        const { waitMs } = rateStandingNow(
          { meter: { policy, key: "k" }, answer: known, slice: undefined, amount },
          now,
        );
        const exact = standingOf(policy, taken, { amount, nowMs: now }).waitMs;
        expect(waitMs).toBeGreaterThanOrEqual(exact);
        expect(usageInWindow(window, taken, now + waitMs) + amount).toBeLessThanOrEqual(policy.limit);
        if (amount === 1) expect(waitMs).toBe(exact);
      }),
      { numRuns: 2000 },
    );
  });

  test("says nothing of amounts of which the object told no wait", () => {
    const policy = policyOf(10, 60);
    const [first, ...rest] = [bucketAt(slidingWindow(60), NOW)];
    expect(rest).toEqual([]);
    const { info, ...when } = told(policy, [[first ?? 0, 10]], NOW);
    const { ahead: _, ...earlier } = info;
    const standing = (amount: number) =>
      rateStandingNow(
        { meter: { policy, key: "k" }, answer: { ...when, info: earlier }, slice: undefined, amount },
        NOW,
      ).waitMs;
    expect([standing(1) > 0, standing(2)]).toEqual([true, 0]);
  });

  test("lets through what takes nothing of it", () => {
    const policy = policyOf(10, 60);
    const known = told(policy, [[bucketAt(slidingWindow(60), NOW), 12]], NOW);
    const asked = { meter: { policy, key: "k" }, answer: known, slice: undefined };
    expect(rateStandingNow({ ...asked, amount: 0 }, NOW).waitMs).toBe(0);
    expect(rateStandingNow({ ...asked, amount: 1 }, NOW).waitMs).toBeGreaterThan(0);
  });

  test("names the end of a fixed window for every amount", () => {
    const policy = policyOf(10, 60, "quota");
    const start = Math.floor(NOW / 60_000) * 60_000;
    const standing = standingOf(policy, [[start, 10]], { amount: 1, nowMs: NOW });
    const known = { info: { key: "k", ...standing, moreInMs: 0 }, askedAt: NOW, at: NOW };
    for (const amount of [1, 5]) {
      const asked = { meter: { policy, key: "k" }, answer: known, slice: undefined, amount };
      expect(rateStandingNow(asked, NOW).waitMs).toBe(start + 60_000 - NOW);
    }
  });
});
