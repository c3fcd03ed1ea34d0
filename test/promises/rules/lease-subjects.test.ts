import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { subjectsOf } from "../../../scripts/bench/edge-traffic.ts";
import { type Luck, SubjectsWorld } from "../../gate/lease/subjects-world.ts";

const ISOLATES = 4;
const CALL = 10n;
const FAR = 1_000_000_000n;

interface Traffic {
  readonly subjects: number;
  readonly perSecond: number;
  readonly spread: "evenly" | "zipf";
}

/** Calls at a steady rate in every isolate. */
function drive(world: SubjectsWorld, { subjects, perSecond, spread }: Traffic, seconds: number): void {
  const next = world.isolates.map(() => subjectsOf(spread, subjects));
  for (let call = 0; call < perSecond * seconds; call += 1) {
    for (const [isolate, of] of next.entries()) world.call(isolate, `subject-${of()}`, CALL);
    world.advance(1000 / perSecond);
  }
}

/** From now on, for each decision. */
function measured(world: SubjectsWorld) {
  const { byIsolate, byObject, stored } = world;
  const before = { byIsolate, stored, all: byIsolate + byObject };
  const shareOf = (what: "byIsolate" | "stored") =>
    (world[what] - before[what]) / (world.byIsolate + world.byObject - before.all);
  return { shareOf };
}

describe("after 10 s, of calls far from the limits of many subjects, isolates decide", () => {
  test.each([
    { subjects: 8, perSecond: 20, spread: "evenly", least: 0.99 },
    { subjects: 100, perSecond: 100, spread: "evenly", least: 0.97 },
    { subjects: 1000, perSecond: 100, spread: "evenly", least: 0.9 },
    { subjects: 10_000, perSecond: 200, spread: "zipf", least: 0.7 },
  ] as const)("at least $least of $subjects, $spread", ({ least, ...traffic }) => {
    const world = new SubjectsWorld(ISOLATES, FAR);
    drive(world, traffic, 10);
    const { shareOf } = measured(world);
    drive(world, traffic, 20);
    expect(shareOf("byIsolate")).toBeGreaterThanOrEqual(least);
    // Of many subjects most are first seen later: each first call is stored by itself.
    const { shareOf: lateShareOf } = measured(world);
    drive(world, traffic, 10);
    expect(lateShareOf("stored")).toBeLessThanOrEqual(0.3);
    expect(world.refused).toBe(0);
    // Only what changes is named.
    expect(world.mostNamed).toBeLessThanOrEqual(200);
  });
});

describe("slices of many subjects", () => {
  const lost: fc.Arbitrary<Luck> = fc.record({ ask: fc.boolean(), answer: fc.boolean() });
  type Step = (world: SubjectsWorld) => void;
  const steps: fc.Arbitrary<Step>[] = [
    fc
      .record({ calls: fc.integer({ min: 20, max: 120 }), subjects: fc.integer({ min: 1, max: 1000 }) })
      .map(({ calls, subjects }) => (world: SubjectsWorld) => {
        const next = subjectsOf("evenly", subjects);
        for (let call = 0; call < calls; call += 1) {
          world.call(call % ISOLATES, `subject-${next()}`, CALL);
          world.advance(4);
        }
      }),
    fc.nat(3000).map((ms) => (world: SubjectsWorld) => world.advance(ms)),
    fc.array(lost, { minLength: 1, maxLength: 6 }).map((luck) => (world: SubjectsWorld) => {
      world.luck.push(...luck);
    }),
    fc.constant((world: SubjectsWorld) => world.evict()),
    fc.nat(ISOLATES - 1).map((isolate) => (world: SubjectsWorld) => world.vanish(isolate)),
  ];

  test("never admit more than a limit, and what is held is what was taken, whatever is lost, evicted or killed", () => {
    let byIsolate = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(...steps), { minLength: 5, maxLength: 60 }),
        fc.bigInt({ min: 1000n, max: 100_000n }),
        (script, limit) => {
          const world = new SubjectsWorld(ISOLATES, limit);
          for (const step of script) step(world);
          byIsolate += world.byIsolate;
          world.luck = [];
          // Traffic ends: all is reported, and given back.
          world.advance(6000);
          expect(world.differences()).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
    expect(byIsolate).toBeGreaterThan(150);
  });

  test("a batch whose answer was lost is held once when it is sent again", () => {
    const world = new SubjectsWorld(1, FAR);
    drive(world, { subjects: 20, perSecond: 100, spread: "evenly" }, 3);
    for (let lostAnswers = 0; lostAnswers < 3; lostAnswers += 1) {
      world.luck = [{ ask: false, answer: true }];
      drive(world, { subjects: 20, perSecond: 100, spread: "evenly" }, 1);
      world.advance(4000);
    }
    expect(world.byIsolate).toBeGreaterThan(200);
    expect(world.differences()).toEqual([]);
  });

  test("renewals write nothing but once in 10 s, and a restart of the object loses no slice", () => {
    const world = new SubjectsWorld(1, FAR);
    drive(world, { subjects: 500, perSecond: 100, spread: "evenly" }, 12);
    expect(world.slices).toBe(500);
    const keepsCalling = (seconds: number) =>
      drive(world, { subjects: 1, perSecond: 2, spread: "evenly" }, seconds);
    const [stored, asks] = [world.stored, world.asks];
    keepsCalling(20);
    expect(world.asks - asks).toBeGreaterThan(60);
    // Each call is reported once, and a renewal is stored every 10 s.
    expect(world.stored - stored).toBeLessThanOrEqual(40 + 4);
    world.evict();
    const before = world.byObject;
    drive(world, { subjects: 500, perSecond: 100, spread: "evenly" }, 5);
    expect(world.byObject - before).toBe(0);
    expect(world.slices).toBe(500);
  });

  test("are given back a minute after their last call, and all of them soon after the last call of all", () => {
    const world = new SubjectsWorld(1, FAR);
    drive(world, { subjects: 100, perSecond: 100, spread: "evenly" }, 3);
    drive(world, { subjects: 1, perSecond: 20, spread: "evenly" }, 55);
    expect(world.slices).toBe(100);
    drive(world, { subjects: 1, perSecond: 20, spread: "evenly" }, 10);
    expect(world.slices).toBe(1);
    world.advance(2000);
    expect(world.slices).toBe(0);
  });

  test("are not renewed once a limit was lowered below them, nor used a second later", () => {
    const world = new SubjectsWorld(2, 64_000n);
    drive(world, { subjects: 3, perSecond: 50, spread: "evenly" }, 2);
    expect(world.leased("subject-1")).toBeGreaterThan(0n);
    const used = world.byIsolate + world.byObject;
    for (const subject of ["subject-0", "subject-1", "subject-2"]) world.setLimit(subject, 2000n);
    // Callers of other subjects keep the exchange going.
    for (let call = 0; call < 30; call += 1) {
      world.call(call % 2, "subject-9", CALL);
      world.advance(50);
    }
    const byIsolate = world.byIsolate;
    expect(used).toBe(200);
    world.setLimit("subject-1", 0n);
    world.advance(1100);
    expect(() => world.call(0, "subject-1", CALL)).not.toThrow();
    expect(world.byIsolate).toBe(byIsolate);
    expect(world.refused).toBe(1);
  });
});
