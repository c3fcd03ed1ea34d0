import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { IN_PARTS, World } from "./world.ts";

const RUNS = 400;
const clock = fc.integer({ min: -86_400_000, max: 86_400_000 });
const amount = fc.bigInt({ min: 1n, max: 500_000n });
const holdMs = fc.constantFrom(30_000, 60_000, 900_000);

/** The unit of amounts: some are more than a plain number holds exactly. */
const unit = fc.constantFrom(1n, 1_099_511_627_689n);

type Step = (world: World, unit: bigint) => void;
const steps: fc.Arbitrary<Step>[] = [
  fc
    .record({ isolate: fc.nat(7), amount, holdMs, calls: fc.integer({ min: 1, max: 60 }), every: fc.nat(40) })
    .map(({ isolate, amount: each, holdMs: life, calls, every }) => (world: World, scale: bigint) => {
      for (let call = 0; call < calls; call += 1) {
        world.call(isolate + call, each * scale, life);
        world.advance(every);
      }
    }),
  fc.nat(3000).map((ms) => (world: World) => world.advance(ms)),
  fc.constantFrom(31_000, 905_000).map((ms) => (world: World) => world.advance(ms)),
  fc
    .record({ ask: fc.boolean(), answer: fc.boolean(), twice: fc.boolean() })
    .map((luck) => (world: World) => {
      world.loss.push(luck);
    }),
  fc.constant((world: World) => world.evict()),
  fc.nat(7).map((isolate) => (world: World) => world.vanish(isolate)),
  fc.record({ meter: fc.nat(3), limit: fc.bigInt({ min: 0n, max: 2_000_000_000n }) }).map(
    ({ meter, limit }) =>
      (world: World, scale: bigint) =>
        world.setLimit(meter, limit * scale),
  ),
  fc
    .record({ from: fc.nat(500), count: fc.nat(80), cost: amount })
    .map(({ from, count, cost }) => (world: World, scale: bigint) => {
      for (let index = from; index < from + count; index += 1) world.settle(index, cost * scale);
    }),
];

describe("leases", () => {
  test("never admit a nano-dollar over a limit, whatever is lost, repeated, evicted, killed or changed", () => {
    let byIsolate = 0;
    fc.assert(
      fc.property(
        fc.array(clock, { minLength: 1, maxLength: 6 }),
        fc.array(fc.bigInt({ min: 0n, max: 2_000_000_000n }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(...steps), { minLength: 5, maxLength: 80 }),
        unit,
        fc.boolean(),
        (clocks, limits, script, scale, inParts) => {
          const scaled = limits.map((limit) => limit * scale);
          const world = new World(clocks, scaled, inParts ? IN_PARTS : undefined);
          for (const step of script) step(world, scale);
          byIsolate += world.byIsolate;
        },
      ),
      { numRuns: RUNS },
    );
    // The number is random, but a run in which isolates admitted next to nothing would prove nothing.
    expect(byIsolate).toBeGreaterThan(RUNS);
  });

  test("count each hold once though reports are lost or come twice, so that what is held is what was taken", () => {
    const world = new World([0, 7000], [1_000_000_000n], IN_PARTS);
    for (let call = 0; call < 400; call += 1) {
      world.loss.push({ ask: call % 5 === 1, answer: call % 3 === 1, twice: call % 4 === 2 });
      world.call(call, 1000n, 900_000);
      world.advance(20);
    }
    world.loss = [];
    world.advance(10_000);
    expect(world.leased).toBe(0n);
    expect(world.room).toBe(world.trueRoom);
    expect(world.byIsolate).toBeGreaterThan(100);
  });

  test("strand at most 2 % of a limit under steady traffic, and nothing 2 s after it ends", () => {
    fc.assert(
      fc.property(
        fc.array(clock, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 6, maxLength: 6 }),
        fc.bigInt({ min: 1000n, max: 100_000n }),
        (clocks, weights, each) => {
          const limit = each * 6000n;
          const world = new World(clocks, [limit]);
          const turns = clocks.flatMap((_, index) =>
            Array.from({ length: weights[index] ?? 1 }, () => index),
          );
          let refusedAt: number | null = null;
          for (let call = 0; refusedAt === null || world.now < refusedAt + 1000; call += 1) {
            const allowed = world.call(turns[call % turns.length] ?? 0, each, 900_000);
            if (!allowed) refusedAt ??= world.now;
            world.advance(1);
          }
          expect(refusedAt).toBeGreaterThan(5000);
          expect(Number((world.trueRoom * 10_000n) / limit) / 100).toBeLessThanOrEqual(2);
          for (let index = 0; index < world.admitted.length; index += 1) world.settle(index, each / 2n);
          world.advance(2000);
          expect(world.leased).toBe(0n);
          expect(world.room).toBe(world.trueRoom);
          expect(world.byIsolate / world.admitted.length).toBeGreaterThan(0.3);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("far from a limit decide at least 99 % of calls in the isolate", () => {
    const world = new World([0, 5000, -70_000, 3], [1_000_000_000_000n, 500_000_000_000n]);
    for (let call = 0; call < 20_000; call += 1) {
      world.call(call, 1000n, 900_000);
      world.advance(1);
    }
    expect(world.byIsolate / world.admitted.length).toBeGreaterThanOrEqual(0.99);
  });

  test("of a lost isolate come back after the longest hold's life, and not before", () => {
    const world = new World([0], [1_000_000_000n]);
    for (let call = 0; call < 600; call += 1) {
      world.call(0, 10_000n, 900_000);
      world.advance(2);
    }
    world.vanish(0);
    const kept = world.leased;
    expect(kept).toBeGreaterThan(0n);
    world.advance(899_000);
    expect(world.leased).toBe(kept);
    world.advance(2_000);
    expect(world.leased).toBe(0n);
    expect(world.room).toBe(world.trueRoom);
  });
});
