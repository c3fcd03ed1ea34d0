import { expect, test } from "vitest";
import type { RatePolicy } from "../../src/domain/rate/policy.ts";
import { LeaseClient } from "../../src/gate/lease/lease-client.ts";
import type { ObjectAnswer } from "../../src/gate/org-gate.ts";
import { rateStandingNow } from "../../src/gate/snapshot/rate-standing.ts";
import { amountsOf, newLimitSet } from "../../src/gate/decision/limit-set.ts";
import type { RateInfo } from "../../src/gate/lease/wire.ts";

/** What an isolate takes from a limit in dollars a window, and when it refuses by itself. */

const policyOf = (kind: RatePolicy["kind"], unit: RatePolicy["unit"] = "usd"): RatePolicy => ({
  id: "rlp_1",
  name: "dollars",
  match: {},
  unit,
  limit: 5_000_000_000,
  window_seconds: 60,
  kind,
});

test("a call takes its amount from the slice of a limit in dollars", () => {
  const units = ["usd", "tokens", "requests"] as const;
  const limitSet = newLimitSet({
    accounts: [],
    rates: units.map((unit) => ({ key: unit, meter: { policy: policyOf("rate", unit), key: unit } })),
    customer: undefined,
    keyId: "key_1",
    isWhole: false,
    orgNow: 0,
    sliceOf: (key) => new LeaseClient("isolate").slice(key),
  });
  expect(amountsOf(limitSet, { nanos: 1_250_000_000, tokens: 70 })).toEqual([1_250_000_000, 70, 1]);
  expect(limitSet.rates.map(({ isUsd, opening }) => [isUsd, opening.endsWith('"available_usd":"')])).toEqual([
    [true, true],
    [false, false],
    [false, false],
  ]);
});

const ahead = [
  { inMs: 1000, room: 1_500_000_000 },
  { inMs: 2000, room: 4_000_000_000 },
];
const info: RateInfo = { key: "k", used: 4e9, room: 1e9, waitMs: 0, moreInMs: 30_000, ahead };
const answer: ObjectAnswer<RateInfo> = { info, askedAt: 0, at: 0 };
const waitFor = (kind: RatePolicy["kind"], amount: number, now = 0) =>
  rateStandingNow({ meter: { policy: policyOf(kind), key: "k" }, answer, slice: undefined, amount }, now)
    .waitMs;

test("what fits into the room that was told is not refused, and what does not is, until it fits", () => {
  expect([waitFor("rate", 1e9), waitFor("rate", 1e9 + 1), waitFor("rate", 3e9)]).toEqual([0, 1000, 2000]);
  expect([waitFor("rate", 1e9 + 1, 400), waitFor("rate", 1e9 + 1, 1000)]).toEqual([600, 0]);
  expect([waitFor("quota", 1e9), waitFor("quota", 1e9 + 1)]).toEqual([0, 30_000]);
});

test("what is more than all of a sliding window waits for its length", () => {
  expect(waitFor("rate", 5e9 + 1)).toBe(60_000);
});
