import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BloomFilter } from "../../../src/storage/key-index/bloom-filter.ts";
import { KeyProbe } from "../../../src/storage/key-index/probe.ts";

const WORDS_EACH = 48;

const KEY = [1, 2] as const;

test("never denies what was added, even after it was stored and loaded", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 300 }), fc.integer({ min: 1, max: 5 }), (ids, bits) => {
      const filter = new BloomFilter(bits, WORDS_EACH);
      filter.add(new KeyProbe(ids, KEY).numbers);
      const again = new BloomFilter(bits, WORDS_EACH);
      for (let block = 0; block < 2 ** bits; block += 1) {
        expect(again.setPart(block, filter.part(block))).toBe(true);
      }
      expect(again.setPart(0, new ArrayBuffer(4 * WORDS_EACH - 4))).toBe(false);
      const sought = new KeyProbe(ids, KEY);
      expect(filter.among(sought)).toEqual([...sought.numbers]);
      expect(again.among(sought)).toEqual([...sought.numbers]);
    }),
  );
});

test.each([
  ["ids that count up", (at: number) => `run-${String(at).padStart(9, "0")}`],
  [
    "ids that differ in their first character alone",
    (at: number) => `${String.fromCodePoint(at + 256)}-of-many`,
  ],
  ["ids in no order", () => crypto.randomUUID()],
])("of %s, hardly any absent id matches", (_, idOf) => {
  const added = Array.from({ length: 4096 }, (_none, at) => idOf(at));
  const others = Array.from({ length: 40_000 }, (_none, at) => idOf(4096 + at));
  const filter = new BloomFilter(2, 768);
  filter.add(new KeyProbe(added, KEY).numbers);
  expect(filter.among(new KeyProbe(others, KEY)).length).toBeLessThan(40);
});

test("an empty filter matches nothing, a filter without words matches everything", () => {
  const sought = new KeyProbe(["a", "b"], KEY);
  expect(new BloomFilter(2, WORDS_EACH).among(sought)).toEqual([]);
  const without = new BloomFilter(2, 0);
  without.add(sought.numbers);
  expect(without.among(sought)).toEqual([...sought.numbers]);
});
