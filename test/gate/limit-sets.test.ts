import { expect, test } from "vitest";
import { KnownLimits, type LimitSet } from "../../src/gate/decision/limit-set.ts";
import { LimitSets, LimitSetTotal } from "../../src/gate/decision/limit-sets.ts";

const MATTERS = new KnownLimits({ department: null, workflow: null, deployment: null, customer: true });
const limitSet = (): LimitSet => ({ slices: [] }) as unknown as LimitSet;
const names = (customer: number) => ({ customer_id: `c${customer}` });

/** A gate that learns of so many customers. */
function learned(customers: number, total = new LimitSetTotal()) {
  const dropped: LimitSet[] = [];
  const limitSets = new LimitSets(total, (one) => dropped.push(one));
  for (let at = 0; at < customers; at += 1) limitSets.set(MATTERS, "key", names(at), limitSet());
  return { limitSets, dropped, has: (at: number) => limitSets.get(MATTERS, "key", names(at)) !== undefined };
}

test("a gate knows 5,000 kinds of calls at most, and those that are used stay", () => {
  const { limitSets, dropped, has } = learned(0);
  for (let at = 0; at < 20_000; at += 1) {
    limitSets.set(MATTERS, "key", names(at), limitSet());
    expect(has(0)).toBe(true);
    expect(limitSets.size).toBeLessThanOrEqual(5001);
  }
  expect(has(19_999)).toBe(true);
  expect(has(10_000)).toBe(false);
  expect(dropped.length + limitSets.size).toBe(20_000);
});

test("all gates of a host together know 20,000, and little more for each further org", () => {
  const total = new LimitSetTotal();
  for (let org = 0; org < 5; org += 1) learned(5000, total);
  expect(total.count).toBeLessThanOrEqual(20_200);
  const { limitSets } = learned(5000, total);
  expect(limitSets.size).toBeLessThanOrEqual(200);
  limitSets.clear();
  expect(limitSets.size).toBe(0);
  expect(total.count).toBeLessThanOrEqual(20_200);
});

test("two rotations without a call in between forget it", () => {
  const { limitSets, dropped, has } = learned(3);
  limitSets.rotate();
  expect(has(1)).toBe(true);
  limitSets.rotate();
  expect([has(0), has(1), has(2)]).toEqual([false, true, false]);
  expect(dropped).toHaveLength(2);
});
