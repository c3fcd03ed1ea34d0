import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keyHashOf } from "../../../src/storage/key-index/key-hash.ts";
import { KeyProbe } from "../../../src/storage/key-index/probe.ts";

const KEY = [0x01_23_45_67, 0x09_ab_cd_ef] as const;

test("an id that occurs twice is always reported", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), fc.nat(), fc.nat(), (ids, id, one, other) => {
      const twice = ids.toSpliced(one % (ids.length + 1), 0, id);
      expect(new KeyProbe(twice.toSpliced(other % (twice.length + 1), 0, id), KEY).mayRepeat()).toBe(true);
    }),
  );
});

test("an id whose hash is zero is reported if it occurs twice, and not alone", () => {
  const sought = new KeyProbe(["a", "b"], KEY);
  sought.numbers[0] = 0;
  expect(sought.mayRepeat()).toBe(false);
  sought.numbers[1] = 0;
  expect(sought.mayRepeat()).toBe(true);
  expect(new KeyProbe([], KEY).mayRepeat()).toBe(false);
});

test("hashes are known for ids that come first, in their order, and for no others", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), fc.nat(), (first, rest, at) => {
      const sought = new KeyProbe([...first, ...rest], KEY);
      expect([...(sought.firstNumbers(first) ?? [])]).toEqual(first.map((id) => keyHashOf(id, KEY)));
      const without = first.toSpliced(at % (first.length + 1), 1);
      const isFirst = without.every((id, index) => id === sought.ids[index]);
      expect(sought.firstNumbers(without) !== null).toBe(isFirst);
    }),
  );
  expect(new KeyProbe(["a", "b"], KEY).firstNumbers(["b"])).toBeNull();
  expect(new KeyProbe(["a"], KEY).firstNumbers(["a", "b"])).toBeNull();
});

test("a batch of a thousand without repeats is hardly ever reported", () => {
  const batches = Array.from({ length: 200 }, (_, batch) =>
    new KeyProbe(
      Array.from({ length: 1000 }, (_none, at) => `run-${batch}-${at}`),
      KEY,
    ).mayRepeat(),
  );
  expect(batches.filter(Boolean).length).toBeLessThan(4);
});

test("numbers are spread evenly, and depend on every character and on the length", () => {
  const counts = new Uint32Array(1024);
  for (let at = 0; at < 102_400; at += 1) {
    const block = keyHashOf(`run-${at}`, KEY) >>> 22;
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
        expect(keyHashOf(changed, KEY)).not.toBe(keyHashOf(id, KEY));
      },
    ),
  );
  expect(new Set(["", "\0", "\0\0", "\0\0\0"].map((id) => keyHashOf(id, KEY))).size).toBe(4);
});

/** Numbers are stored: if they were computed differently, nothing would be found. */
test("numbers never change between versions", () => {
  const ids = ["", "a", "run-1", "0198f0a2-7d3c-7a51-9c0e-5b8e1f2a3b4c", "día"];
  expect(ids.map((id) => keyHashOf(id, KEY))).toMatchInlineSnapshot(`
    [
      2416378974,
      2831231677,
      3988076055,
      1745326799,
      2489983276,
    ]
  `);
});

test("ids whose numbers collide with another key do not collide with this key", () => {
  const alike = Array.from({ length: 300_000 }, (_, at) => `run-${at}`).filter(
    (id) => keyHashOf(id, [5, 6]) >>> 24 === 7,
  );
  const begins = new Set(alike.map((id) => keyHashOf(id, KEY) >>> 24));
  expect(alike.length).toBeGreaterThan(900);
  expect(begins.size).toBeGreaterThan(230);
});
