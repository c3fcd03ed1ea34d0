import { expect, test } from "vitest";
import { KnownLimits, type LimitSet } from "../../src/gate/decision/limit-set.ts";
import { LimitSets, LimitSetTotal } from "../../src/gate/decision/limit-sets.ts";

const MATTERS = new KnownLimits({ department: null, workflow: null, deployment: null, customer: true });
const touch = (): LimitSet => ({ slices: [] }) as unknown as LimitSet;
const names = (customer: number) => ({ customer_id: `c${customer}` });

/** A gate that learns of so many customers. */
function learned(customers: number, total = new LimitSetTotal()) {
  const dropped: LimitSet[] = [];
  const touches = new LimitSets(total, (one) => dropped.push(one));
  for (let at = 0; at < customers; at += 1) touches.set(MATTERS, "key", names(at), touch());
  return { touches, dropped, has: (at: number) => touches.get(MATTERS, "key", names(at)) !== undefined };
}

test("a gate knows 5,000 kinds of calls at most, and those that are used stay", () => {
  const { touches, dropped, has } = learned(0);
  for (let at = 0; at < 20_000; at += 1) {
    touches.set(MATTERS, "key", names(at), touch());
    expect(has(0)).toBe(true);
    expect(touches.size).toBeLessThanOrEqual(5001);
  }
  expect(has(19_999)).toBe(true);
  expect(has(10_000)).toBe(false);
  expect(dropped.length + touches.size).toBe(20_000);
});

test("all gates of a host together know 20,000, and little more for each further org", () => {
  const total = new LimitSetTotal();
  for (let org = 0; org < 5; org += 1) learned(5000, total);
  expect(total.touches).toBeLessThanOrEqual(20_200);
  const { touches } = learned(5000, total);
  expect(touches.size).toBeLessThanOrEqual(200);
  touches.clear();
  expect(touches.size).toBe(0);
  expect(total.touches).toBeLessThanOrEqual(20_200);
});

test("two rotations without a call in between forget it", () => {
  const { touches, dropped, has } = learned(3);
  touches.rotate();
  expect(has(1)).toBe(true);
  touches.rotate();
  expect([has(0), has(1), has(2)]).toEqual([false, true, false]);
  expect(dropped).toHaveLength(2);
});
