import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LeaseLedger } from "../../../src/gate/lease/lease-ledger.ts";
import { additionTo, type SliceSizing } from "../../../src/gate/lease/size.ts";
import { World } from "./world.ts";

const amount = fc.bigInt({ min: 0n, max: 2_000_000n });
const part = fc.bigInt({ min: 0n, max: 1000n });
/** Limits of which much is used, and slices of about the size that they may have. */
const sizing: fc.Arbitrary<SliceSizing> = fc
  .record({
    limit: amount,
    room: fc.oneof(part, fc.bigInt({ min: 0n, max: 60n })),
    live: part,
    orphaned: fc.oneof(part, fc.constant(0n)),
    left: part,
    holders: fc.integer({ min: 1, max: 12 }),
    want: amount,
    least: fc.bigInt({ min: 0n, max: 200n }),
  })
  .map(({ limit, room, live, orphaned, left, ...made }) => {
    const inUse = (limit * live) / 50_000n;
    return {
      ...made,
      limit,
      used: limit - (limit * room) / 1000n,
      live: inUse,
      orphaned: (limit * orphaned) / 7000n,
      // The asking isolate's part is included in what is in use.
      left: (inUse * left) / 1000n,
    };
  });

describe("what is added to a slice", () => {
  test("never makes used plus leased exceed the limit", () => {
    fc.assert(
      fc.property(sizing, (made) => {
        const added = additionTo(made);
        expect(added).toBeGreaterThanOrEqual(0n);
        if (added > 0n) {
          expect(made.used + made.live + made.orphaned + added).toBeLessThanOrEqual(made.limit);
        }
      }),
    );
  });

  test("never makes slices in use exceed a 64th of the limit or a quarter of the room", () => {
    fc.assert(
      fc.property(sizing, (made) => {
        const added = additionTo(made);
        if (added === 0n) return;
        expect((made.live + added) * 64n).toBeLessThanOrEqual(made.limit);
        expect((made.live + added) * 4n).toBeLessThanOrEqual(made.limit - made.used - made.orphaned);
      }),
      { numRuns: 2000 },
    );
  });

  test("is nothing if the slice could not carry four of the calls", () => {
    fc.assert(
      fc.property(sizing, (made) => {
        const added = additionTo(made);
        if (added > 0n) expect(made.left + added).toBeGreaterThanOrEqual(made.least * 4n);
      }),
    );
  });

  test("is nothing if an eighth of the limit is in slices of lost isolates", () => {
    fc.assert(
      fc.property(sizing, (made) => {
        if (made.orphaned * 8n > made.limit) expect(additionTo(made)).toBe(0n);
      }),
    );
  });
});

test("isolates that replace lost ones decide by themselves as before", () => {
  const world = new World([0, 5000, -70_000, 3], [1_000_000_000_000n]);
  const drive = (calls: number) => {
    for (let call = 0; call < calls; call += 1) {
      world.call(call, 20_000_000n, 900_000);
      world.advance(1);
    }
  };
  drive(4000);
  for (let isolate = 0; isolate < 4; isolate += 1) world.vanish(isolate);
  world.advance(2000);
  const before = { byIsolate: world.byIsolate, admitted: world.admitted.length };
  drive(4000);
  const share = (world.byIsolate - before.byIsolate) / (world.admitted.length - before.admitted);
  expect(share).toBeGreaterThan(0.9);
});

test("isolates that die one after another strand little more than an eighth of a limit", () => {
  const limit = 1_000_000n;
  const book = new LeaseLedger();
  const terms = () => ({ limit, used: 0n, lifeMs: 1000, lingerMs: 900_000 });
  for (let born = 0; born < 100; born += 1) {
    const wants = new Map([["a", { left: 0n, want: limit, least: 1n }]]);
    book.settle({ holder: `isolate-${born}`, attempt: 1, batches: [], wants }, terms, born * 1000);
  }
  const leased = book.leased("a", 100_000);
  expect(leased).toBeGreaterThan(limit / 8n);
  expect(leased).toBeLessThanOrEqual(limit / 8n + limit / 64n);
});

test("a slice is neither renewed nor extended while used plus leased exceeds the limit", () => {
  const book = new LeaseLedger();
  const terms = (limit: bigint) => () => ({ limit, used: 0n, lifeMs: 1000, lingerMs: 900_000 });
  const ask = (attempt: number, left: bigint) => ({
    holder: "isolate",
    attempt,
    batches: [],
    wants: new Map([["a", { left, want: 1000n, least: 1n }]]),
  });
  const given = book.settle(ask(1, 0n), terms(64_000n), 0)?.grant.slices.get("a");
  expect(given).toMatchObject({ add: 1000n, forMs: 1000 });
  const renewed = book.settle(ask(2, 1000n), terms(1000n), 500)?.grant.slices.get("a");
  expect(renewed).toMatchObject({ add: 0n, forMs: 1000 });
  const over = book.settle(ask(3, 1000n), terms(999n), 600)?.grant.slices.get("a");
  expect(over).toMatchObject({ add: 0n, forMs: null });
});
