import * as fc from "fast-check";
import { expect, test } from "vitest";
import { numberOf } from "../../../src/domain/id-index/number.ts";
import { Sought } from "../../../src/domain/id-index/sought.ts";

test("an id that occurs twice is always reported", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), fc.nat(), fc.nat(), (ids, id, one, other) => {
      const twice = ids.toSpliced(one % (ids.length + 1), 0, id);
      expect(new Sought(twice.toSpliced(other % (twice.length + 1), 0, id)).mayRepeat()).toBe(true);
    }),
  );
});

test("a batch of a thousand without repeats is hardly ever reported", () => {
  const batches = Array.from({ length: 200 }, (_, batch) =>
    new Sought(Array.from({ length: 1000 }, (_none, at) => `run-${batch}-${at}`)).mayRepeat(),
  );
  expect(batches.filter(Boolean).length).toBeLessThan(4);
});

test("numbers are spread evenly, and depend on every character and on the length", () => {
  const counts = new Uint32Array(1024);
  for (let at = 0; at < 102_400; at += 1) {
    const block = numberOf(`run-${at}`) >>> 22;
    counts[block] = (counts[block] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(50);
  expect(Math.max(...counts)).toBeLessThan(150);
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.nat(),
      fc.string({ minLength: 1, maxLength: 1 }),
      (id, at, other) => {
        const place = at % id.length;
        const changed = id.slice(0, place) + other + id.slice(place + 1);
        fc.pre(changed !== id);
        expect(numberOf(changed)).not.toBe(numberOf(id));
      },
    ),
  );
  expect(new Set(["", "\0", "\0\0", "\0\0\0"].map(numberOf)).size).toBe(4);
});

/** Numbers are stored: another way to make them would find nothing that is there. */
test("numbers never change between versions", () => {
  const ids = ["", "a", "run-1", "0198f0a2-7d3c-7a51-9c0e-5b8e1f2a3b4c", "día"];
  expect(ids.map(numberOf)).toMatchInlineSnapshot(`
    [
      0,
      530429928,
      191876760,
      1644585958,
      2726122610,
    ]
  `);
});
