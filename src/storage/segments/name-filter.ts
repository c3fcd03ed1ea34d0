import { BloomFilter } from "../key-index/bloom-filter.ts";
import type { HashKey } from "../key-index/key-hash.ts";
import { KeyProbe, keyHashesOf } from "../key-index/probe.ts";

/** Bits of the filter per name: it wrongly reports one in a hundred thousand absent names as present. */
const BITS_PER_NAME = 24;
/** No secret: whoever chooses names that collide only makes their own lists read more segments. */
const OPEN_KEY: HashKey = [0, 0];

/** Tells which names a segment certainly does not contain. Each is one text, with its column. */
export class NameFilter {
  readonly #filter: BloomFilter;
  readonly #words: number;

  private constructor(filter: BloomFilter, words: number) {
    this.#filter = filter;
    this.#words = words;
  }

  static of(names: readonly string[]): NameFilter {
    const numbers = keyHashesOf(names, OPEN_KEY);
    const words = Math.max(1, Math.ceil((numbers.length * BITS_PER_NAME) / 64));
    const filter = new BloomFilter(1, words);
    filter.add(numbers);
    return new NameFilter(filter, words);
  }

  static read(stored: ArrayBuffer): NameFilter {
    const words = stored.byteLength / 8;
    const filter = new BloomFilter(1, words);
    filter.setPart(0, stored.slice(0, words * 4));
    filter.setPart(1, stored.slice(words * 4));
    return new NameFilter(filter, words);
  }

  get stored(): ArrayBuffer {
    const bytes = new Uint8Array(this.#words * 8);
    bytes.set(new Uint8Array(this.#filter.part(0)));
    bytes.set(new Uint8Array(this.#filter.part(1)), this.#words * 4);
    return bytes.buffer;
  }

  mayHave(...names: readonly string[]): boolean {
    return names.every((name) => this.#filter.among(new KeyProbe([name], OPEN_KEY)).length > 0);
  }
}
