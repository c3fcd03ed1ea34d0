import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BodyHold,
  BodyMemory,
  LEAST_BODIES,
  unprovenOwner,
} from "../../../src/domain/body/body-memory.ts";

const MIB = 1_048_576;
const MOST = 64 * MIB;

function memoryAt(clock = { now: 0 }) {
  return new BodyMemory(MOST, { longestHoldMs: 2000, now: () => clock.now });
}

/** Takes pieces until there is no room. Returns the bytes of the hold, if there is one. */
function fill(memory: BodyMemory, owner: { org: string; key: string }, piece = 16_384) {
  const before = memory.bytes;
  const hold = memory.hold(owner, piece);
  if (hold !== null) for (let bytes = 2 * piece; hold.growTo(bytes); bytes += piece);
  return { hold, bytes: memory.bytes - before };
}

describe("the memory for bodies", () => {
  test("has room for the largest body of one key while it is empty, and for no larger one", () => {
    expect(fill(memoryAt(), { org: "a", key: "k" }).bytes).toBe(MOST / LEAST_BODIES);
  });

  test("has room for another key of an org, and for another org, however much one key has filled", () => {
    const memory = memoryAt();
    fill(memory, { org: "a", key: "one" });
    expect(fill(memory, { org: "a", key: "two" }).bytes).toBeGreaterThan(6 * MIB);
    for (let key = 0; key < 50; key += 1) fill(memory, { org: "a", key: String(key) });
    expect(memory.bytes).toBeLessThanOrEqual((5 / 8) * MOST);
    expect(fill(memory, { org: "b", key: "k" }).bytes).toBeGreaterThan(11 * MIB);
    expect(memory.hold({ org: "c", key: "k" }, 2 * MIB)).not.toBeNull();
  });

  test("counts all callers that have proven nothing as one org, and each address as a key", () => {
    const memory = memoryAt();
    for (let at = 0; at < 5000; at += 1) memory.hold(unprovenOwner(`192.0.2.${at}`), 16_384);
    expect(memory.bytes).toBeLessThanOrEqual((5 / 8) * MOST);
    expect(memory.hold({ org: "a", key: "k" }, 8 * MIB)).not.toBeNull();
    const other = memoryAt();
    fill(other, unprovenOwner("192.0.2.1"));
    expect(other.hold(unprovenOwner("192.0.2.2"), 1 * MIB)).not.toBeNull();
  });

  test("gets everything back once, and moves it to whom it is for", () => {
    const memory = memoryAt();
    const { hold } = fill(memory, unprovenOwner("192.0.2.1"));
    expect(hold?.moveTo({ org: "a", key: "k" })).toBe(true);
    expect(fill(memory, { org: "a", key: "k" }).hold).toBeNull();
    hold?.release();
    hold?.release();
    expect(memory.bytes).toBe(0);
    expect(fill(memory, { org: "a", key: "k" }).bytes).toBe(MOST / LEAST_BODIES);
  });

  test("does not move a body to one who has no room for it", () => {
    const memory = memoryAt();
    fill(memory, { org: "a", key: "k" });
    const hold = memory.hold(unprovenOwner("192.0.2.1"), 16_384);
    expect(hold?.moveTo({ org: "a", key: "k" })).toBe(false);
    hold?.release();
    expect(memory.bytes).toBe(MOST / LEAST_BODIES);
  });

  test("no longer counts a body whose call has ended without a word", () => {
    const clock = { now: 0 };
    const memory = memoryAt(clock);
    const { hold } = fill(memory, { org: "a", key: "k" });
    clock.now = 1999;
    expect(fill(memory, { org: "a", key: "k" }).hold).toBeNull();
    clock.now = 3000;
    expect(fill(memory, { org: "a", key: "k" }).hold).not.toBeNull();
    const bytes = memory.bytes;
    hold?.release();
    expect(memory.bytes).toBe(bytes);
  });

  test("counts the body of a caller who has left no longer than its call may go on", () => {
    const clock = { now: 0 };
    const memory = memoryAt(clock);
    const { hold } = fill(memory, { org: "a", key: "k" });
    hold?.endBy(500);
    hold?.endBy(900);
    clock.now = 499;
    expect(memory.hold({ org: "a", key: "k" }, 16_384)).toBeNull();
    clock.now = 1499;
    expect(memory.hold({ org: "a", key: "k" }, 16_384)).not.toBeNull();
  });

  test("whatever is taken and given back, some is left for an org that has none, and in the end all of it", () => {
    const step = fc.record({
      org: fc.constantFrom("a", "b", "c"),
      key: fc.constantFrom("1", "2"),
      bytes: fc.integer({ min: 1, max: 40 * MIB }),
      kind: fc.constantFrom("hold", "grow", "move", "release"),
      at: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = memoryAt();
        const holds: BodyHold[] = [];
        for (const { org, key, bytes, kind, at } of steps) {
          const hold = holds[at % Math.max(1, holds.length)];
          if (kind === "hold") {
            const made = memory.hold({ org, key }, bytes);
            if (made !== null) holds.push(made);
          } else if (kind === "grow") hold?.growTo(bytes);
          else if (kind === "move") hold?.moveTo({ org, key });
          else if (hold !== undefined) {
            hold.release();
            holds.splice(holds.indexOf(hold), 1);
          }
          expect(memory.bytes).toBeLessThanOrEqual((1 - (3 / 8) ** 3) * MOST);
        }
        expect(memory.hold({ org: "new", key: "k" }, 1 * MIB)).not.toBeNull();
        for (const hold of holds) hold.release();
      }),
    );
  });
});
