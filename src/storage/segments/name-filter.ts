import { BloomFilter } from "../key-index/bloom-filter.ts";
import type { HashKey } from "../key-index/key-hash.ts";
import { HashProbe, keyHashesOf } from "../key-index/probe.ts";

/** Bits of the filter per name: it wrongly reports one in a hundred thousand absent names as present. */
const BITS_PER_NAME = 24;
/** No secret: whoever chooses names that collide only makes their own lists read more segments. */
const OPEN_KEY: HashKey = [0, 0];

/** Names that are looked up in many filters, hashed once. */
export function nameProbe(names: readonly string[]): HashProbe {
  return new HashProbe(keyHashesOf(names, OPEN_KEY));
}

/** Tells which names a segment certainly does not contain. Each is one text, with its column. */
export class NameFilter {
  readonly #filter: BloomFilter;

  private constructor(filter: BloomFilter) {
    this.#filter = filter;
  }

  static of(names: readonly string[]): NameFilter {
    const numbers = keyHashesOf(names, OPEN_KEY);
    const filter = new BloomFilter(1, Math.max(1, Math.ceil((numbers.length * BITS_PER_NAME) / 64)));
    filter.add(numbers);
    return new NameFilter(filter);
  }

  /** Reads the stored bytes where they are. */
  static read(stored: ArrayBuffer): NameFilter {
    return new NameFilter(new BloomFilter(1, stored.byteLength / 8, new Uint32Array(stored)));
  }

  get stored(): ArrayBuffer {
    return this.#filter.bytes.slice().buffer;
  }

  /** Returns whether the segment may contain all of the names. */
  mayHave(probe: HashProbe): boolean {
    return this.#filter.among(probe).length === probe.numbers.length;
  }
}
