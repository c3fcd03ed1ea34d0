import type { HashKey } from "./keyed-number.ts";
import { numberOf, spreadOf } from "./number.ts";

/** Ids that are looked up in several places, one after another. */
export class Sought {
  readonly ids: readonly string[];
  readonly numbers: Uint32Array;
  readonly spreads: Int32Array;
  /** Scratch space for the filter. */
  readonly left: Uint32Array;

  constructor(ids: readonly string[], key: HashKey | null) {
    this.ids = ids;
    this.numbers = new Uint32Array(ids.length);
    this.spreads = new Int32Array(ids.length);
    this.left = new Uint32Array(ids.length);
    for (let at = 0; at < ids.length; at += 1) {
      const number = numberOf(ids[at] ?? "", key);
      this.numbers[at] = number;
      this.spreads[at] = spreadOf(number);
    }
  }

  /** Whether an id may occur twice. Always true if one does, and rarely otherwise. */
  mayRepeat(): boolean {
    const numbers = this.numbers.toSorted();
    for (let at = 1; at < numbers.length; at += 1) if (numbers[at] === numbers[at - 1]) return true;
    return false;
  }
}
