import { type HashKey, keyHashOf, spreadOf } from "./key-hash.ts";

const FREE = 0;

/** Hashed ids that are looked up in several places, one after another. */
export class HashProbe {
  readonly numbers: Uint32Array;
  readonly spreads: Int32Array;
  /** Scratch space for the filter. */
  readonly left: Uint32Array;

  constructor(numbers: Uint32Array) {
    this.numbers = numbers;
    this.spreads = new Int32Array(numbers.length);
    this.left = new Uint32Array(numbers.length);
    for (let at = 0; at < numbers.length; at += 1) this.spreads[at] = spreadOf(numbers[at] ?? 0);
  }
}

/** Ids, and their hashes. */
export class KeyProbe extends HashProbe {
  readonly ids: readonly string[];

  constructor(ids: readonly string[], key: HashKey) {
    super(keyHashesOf(ids, key));
    this.ids = ids;
  }

  /** The hashes of ids, if those come first here. Otherwise null. */
  firstNumbers(ids: readonly string[]): Uint32Array | null {
    for (let at = 0; at < ids.length; at += 1) if (ids[at] !== this.ids[at]) return null;
    return this.numbers.subarray(0, ids.length);
  }

  /** Returns whether an id may occur twice. Always true if one does, and rarely otherwise. */
  mayRepeat(): boolean {
    const { numbers } = this;
    // At most half full, so that a free slot is near.
    const slots = new Uint32Array(2 ** Math.ceil(Math.log2(numbers.length * 2 + 2)));
    const last = slots.length - 1;
    let hasZero = false;
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0;
      if (number === FREE) {
        if (hasZero) return true;
        hasZero = true;
        continue;
      }
      let slot = number & last;
      while (slots[slot] !== FREE && slots[slot] !== number) slot = (slot + 1) & last;
      if (slots[slot] === number) return true;
      slots[slot] = number;
    }
    return false;
  }
}

/** The hash of each id. A loop, because it sees every id of a batch. */
export function keyHashesOf(ids: readonly string[], key: HashKey): Uint32Array {
  const numbers = new Uint32Array(ids.length);
  for (let at = 0; at < ids.length; at += 1) numbers[at] = keyHashOf(ids[at] ?? "", key);
  return numbers;
}
