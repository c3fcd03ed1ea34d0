import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RecentKeys } from "../../../src/storage/key-index/recent-keys.ts";

type Step = { readonly add: number } | { readonly cut: number } | { readonly clear: true };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 60, arbitrary: fc.record({ add: fc.oneof(fc.nat(30), fc.nat(2 ** 32 - 1)) }) },
  { weight: 2, arbitrary: fc.record({ cut: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.constant<Step>({ clear: true }) },
);

test("finds everything that was added and not removed", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: "max" }), (steps) => {
      const recent = new RecentKeys(256);
      let model: [number: number, seq: number][] = [];
      let seq = 7;
      for (const one of steps) {
        if ("cut" in one) {
          recent.cutAfter(seq - one.cut);
          model = model.filter(([, at]) => at <= seq - one.cut);
        } else if ("clear" in one || recent.isFull) {
          recent.clear();
          model = [];
        } else {
          recent.add(one.add, ++seq);
          model.push([one.add, seq]);
        }
      }
      for (const number of new Set([...model.map(([known]) => known), 1, 2, 3])) {
        const expected = model.filter(([known]) => known === number).map(([, at]) => at);
        expect(recent.find(Uint32Array.of(number)).toSorted((a, b) => a - b)).toEqual(expected);
      }
      const { words, firstSeq } = recent.block;
      const stored = model.map((_, at): [number, number] => [
        words[at] ?? 0,
        firstSeq + (words[model.length + at] ?? 0),
      ]);
      expect(stored).toEqual(model);
      expect(recent.isFull).toBe(model.length === 256);
    }),
  );
});
