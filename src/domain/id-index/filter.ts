import { spreadOf } from "./number.ts";
import type { Sought } from "./sought.ts";

const PROBES = 8;

/**
 * Which numbers are surely not among those added, told from a few bytes for each (a Bloom filter). It has a part for
 * each of 2 ** bits blocks of what it speaks of, so that both can be made block by block. Without any
 * words, it rules nothing out.
 */
export class Filter {
  readonly #words: Uint32Array;
  readonly #bits: number;
  readonly #each: number;

  constructor(bits: number, wordsEach: number) {
    this.#words = new Uint32Array(2 ** bits * wordsEach);
    this.#bits = bits;
    this.#each = wordsEach;
  }

  add(numbers: Uint32Array): void {
    const words = this.#words;
    const each = this.#each;
    if (each === 0) return;
    const shift = 32 - this.#bits;
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0;
      const spread = spreadOf(number);
      for (let probe = 0; probe < PROBES; probe += 1) {
        const bit = bitOf(spread, probe);
        const word = wordOf(bit, number >>> shift, each);
        words[word] = (words[word] ?? 0) | (1 << (bit & 31));
      }
    }
  }

  /**
   * Which of the numbers may be there. Sorted out in rounds, with no branch that hangs on what is found: the processor
   * would guess every fourth of those wrong.
   */
  among({ numbers, spreads, left }: Sought): number[] {
    const words = this.#words;
    const each = this.#each;
    const shift = 32 - this.#bits;
    if (each === 0) return [...numbers];
    let count = numbers.length;
    for (let at = 0; at < count; at += 1) left[at] = at;
    for (let probe = 0; probe < PROBES && count > 0; probe += 1) {
      let kept = 0;
      for (let index = 0; index < count; index += 1) {
        const at = left[index] ?? 0;
        const bit = bitOf(spreads[at] ?? 0, probe);
        const word = words[wordOf(bit, (numbers[at] ?? 0) >>> shift, each)] ?? 0;
        left[kept] = at;
        kept += (word >>> (bit & 31)) & 1;
      }
      count = kept;
    }
    return Array.from(left.subarray(0, count), (at) => numbers[at] ?? 0);
  }

  part(block: number): ArrayBuffer {
    return this.#words.slice(block * this.#each, (block + 1) * this.#each).buffer;
  }

  /** Takes a part as it was stored; false: it is one of another size. */
  setPart(block: number, part: ArrayBuffer): boolean {
    const words = new Uint32Array(part);
    if (words.length !== this.#each) return false;
    this.#words.set(words, block * this.#each);
    return true;
  }
}

/** Which bit is looked at: its first half says in which word, its last five bits where in it. */
function bitOf(spread: number, probe: number): number {
  return (spread + Math.imul(probe, Math.imul(spread, 0x85_eb_ca_6b) | 1)) | 0;
}

function wordOf(bit: number, block: number, each: number): number {
  return (Math.imul(block, each) + (Math.imul(bit >>> 16, each) >>> 16)) | 0;
}
