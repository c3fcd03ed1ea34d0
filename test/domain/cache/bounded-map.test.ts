import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedMap } from "../../../src/domain/cache/bounded-map.ts";

test("never exceeds its size, and always has what was set last", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(fc.integer({ min: 0, max: 12 })), (most, keys) => {
      const map = new BoundedMap<number, number>(most);
      for (const [at, key] of keys.entries()) {
        map.set(key, at);
        expect(map.size).toBeLessThanOrEqual(most);
      }
      const lastFirst = [...new Set(keys.toReversed())];
      const kept = lastFirst.slice(0, most);
      for (const key of kept) expect(map.get(key)).toBe(keys.lastIndexOf(key));
      for (const key of lastFirst.slice(most)) expect(map.get(key)).toBeUndefined();
      expect(map.size).toBe(kept.length);
    }),
  );
});

test("a deleted entry is gone, and makes room", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  expect([map.delete("a"), map.delete("a")]).toEqual([true, false]);
  map.set("c", 3);
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([undefined, 2, 3]);
});
