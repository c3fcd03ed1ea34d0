import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, partitionOf, partition, findIn } from "../../../src/storage/key-index/block.ts";

const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });

/** Entries with seqs from `firstSeq` on, in a block of 2 ** bits. */
const given = (bits: number, block: number) =>
  fc
    .record({ numbers: fc.array(number, { maxLength: 40 }), firstSeq: fc.nat(2 ** 40) })
    .map(({ numbers, firstSeq }): Block => ({
      words: Uint32Array.from([
        ...numbers.map((one) => (block * 2 ** (32 - bits) + (one >>> bits)) >>> 0),
        ...numbers.map((_, index) => index * 3),
      ]),
      firstSeq,
    }));

function entriesOf({ words, firstSeq }: Block): [number: number, seq: number][] {
  const count = words.length / 2;
  return Array.from({ length: count }, (_, at) => [words[at] ?? 0, firstSeq + (words[count + at] ?? 0)]);
}

const sorted = (entries: readonly [number, number][]) =>
  entries.toSorted((one, other) => one[0] - other[0] || one[1] - other[1]);

test("every entry is distributed once, to its own block, except entries older than the oldest", () => {
  const bits = 2;
  fc.assert(
    fc.property(
      fc.nat(2 ** bits - 1).chain((block) => fc.tuple(fc.constant(block), fc.array(given(bits, block)))),
      fc.nat(100),
      ([block, blocks], behind) => {
        const firstSeq = Math.min(...blocks.map((one) => one.firstSeq), 2 ** 40);
        const oldestSeq = firstSeq + behind;
        const close = blocks.map((one) => ({ ...one, firstSeq: firstSeq + (one.firstSeq % 1000) }));
        const dealt = partition(close, { bits: bits + 3, from: block * 8, count: 8, firstSeq, oldestSeq });
        expect(dealt).toHaveLength(8);
        for (const [index, one] of dealt.entries()) {
          for (const [entry] of entriesOf(one)) expect(partitionOf(entry, bits + 3)).toBe(block * 8 + index);
        }
        const kept = close.flatMap(entriesOf).filter(([, seq]) => seq >= oldestSeq);
        expect(sorted(dealt.flatMap(entriesOf))).toEqual(sorted(kept));
      },
    ),
  );
});

test("a number is found with each of its seqs, and no other", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(20), { maxLength: 60 }),
      fc.nat(20),
      fc.nat(1000),
      (numbers, wanted, firstSeq) => {
        // Seqs are small numbers too, and must not be mistaken for the number that is searched.
        const words = Uint32Array.from([...numbers, ...numbers.map((_, index) => index % 21)]);
        const found: number[] = [];
        findIn({ words, firstSeq }, wanted, found);
        const expected = entriesOf({ words, firstSeq }).filter(([entry]) => entry === wanted);
        expect(found).toEqual(expected.map(([, seq]) => seq));
      },
    ),
  );
});

test("a number of another block is refused", () => {
  const stray: Block = { words: Uint32Array.of(0xff_ff_ff_ff, 0), firstSeq: 1 };
  const into = { bits: 5, from: 0, count: 8, firstSeq: 1, oldestSeq: 0 };
  expect(() => partition([stray], into)).toThrow(RangeError);
});
