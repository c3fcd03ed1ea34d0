import { spreadOf } from "./key-hash.ts";
import type { HashProbe } from "./probe.ts";

const PROBES = 8;

/**
 * A Bloom filter: tells which numbers were certainly not added, with a few bytes for each. It has a part for each of
 * the 2 ** bits blocks of the index, so that both can be built block by block. An empty filter rules nothing out.
 */
export class BloomFilter {
  readonly #words: Uint32Array;
  readonly #bits: number;
  readonly #each: number;

  /** `words` are those of a filter that was stored. */
  constructor(bits: number, wordsEach: number, words = new Uint32Array(2 ** bits * wordsEach)) {
    this.#words = words;
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
   * Returns which of the numbers may be present. It filters in rounds without data-dependent branches, because the CPU
   * would mispredict a quarter of them.
   */
  among({ numbers, spreads, left }: HashProbe): number[] {
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
    const kept: number[] = [];
    for (let index = 0; index < count; index += 1) kept.push(numbers[left[index] ?? 0] ?? 0);
    return kept;
  }

  part(block: number): ArrayBuffer {
    return this.#words.slice(block * this.#each, (block + 1) * this.#each).buffer;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer);
  }

  /** Loads the whole filter from pieces that follow one another. False if their size does not match. */
  setAll(pieces: readonly ArrayBuffer[]): boolean {
    const { bytes } = this;
    if (pieces.reduce((sum, { byteLength }) => sum + byteLength, 0) !== bytes.length) return false;
    let at = 0;
    for (const piece of pieces) {
      bytes.set(new Uint8Array(piece), at);
      at += piece.byteLength;
    }
    return true;
  }

  /** Loads a stored part. False if its size does not match. */
  setPart(block: number, part: ArrayBuffer): boolean {
    const words = new Uint32Array(part);
    if (words.length !== this.#each) return false;
    this.#words.set(words, block * this.#each);
    return true;
  }
}

/** The bit to test: the first half selects the word, the last five bits the position in it. */
function bitOf(spread: number, probe: number): number {
  return (spread + Math.imul(probe, Math.imul(spread, 0x85_eb_ca_6b) | 1)) | 0;
}

function wordOf(bit: number, block: number, each: number): number {
  return (Math.imul(block, each) + (Math.imul(bit >>> 16, each) >>> 16)) | 0;
}
