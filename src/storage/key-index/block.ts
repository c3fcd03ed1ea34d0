/**
 * Hashed ids in no order, each with the seq of its row. The layout is all numbers first, then for each the offset of
 * its seq from the first possible one.
 */
export interface Block {
  readonly words: Uint32Array;
  readonly firstSeq: number;
}

/** The block of a number, out of 2 ** bits. */
export function partitionOf(number: number, bits: number): number {
  return number >>> (32 - bits);
}

/** Adds the seqs of a number. */
export function findIn({ words, firstSeq }: Block, number: number, found: number[]): void {
  const count = words.length / 2;
  for (let at = words.indexOf(number); at !== -1 && at < count; at = words.indexOf(number, at + 1)) {
    found.push(firstSeq + (words[count + at] ?? 0));
  }
}

interface BlockRange {
  /** Covers `count` of 2 ** bits blocks, from block `from` on. */
  readonly bits: number;
  readonly from: number;
  readonly count: number;
  readonly firstSeq: number;
  /** Earlier entries are skipped. */
  readonly oldestSeq: number;
}

/** Distributes the entries of blocks over other blocks. */
export function partition(
  given: readonly Block[],
  { bits, from, count, firstSeq, oldestSeq }: BlockRange,
): Block[] {
  const shift = 32 - bits;
  const sizes = new Uint32Array(count);
  for (const { words, firstSeq: first } of given) {
    const half = words.length / 2;
    const least = oldestSeq - first;
    for (let at = 0; at < half; at += 1) {
      const block = ((words[at] ?? 0) >>> shift) - from;
      if ((words[half + at] ?? 0) >= least) sizes[block] = (sizes[block] ?? 0) + 1;
    }
  }
  const dealt = Array.from(sizes, (size) => new Uint32Array(size * 2));
  const filled = new Uint32Array(count);
  for (const { words, firstSeq: first } of given) {
    const half = words.length / 2;
    const least = oldestSeq - first;
    for (let at = 0; at < half; at += 1) {
      const number = words[at] ?? 0;
      const behind = words[half + at] ?? 0;
      if (behind < least) continue;
      const block = (number >>> shift) - from;
      const into = dealt[block];
      if (into === undefined) throw new RangeError(`number ${number} is in no block from ${from} on`);
      const place = filled[block] ?? 0;
      filled[block] = place + 1;
      into[place] = number;
      into[(sizes[block] ?? 0) + place] = behind + first - firstSeq;
    }
  }
  return dealt.map((words) => ({ words, firstSeq }));
}
