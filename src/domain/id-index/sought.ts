import { numberOf, spreadOf } from "./number.ts";

/** Ids that are looked for in one place after another. */
export class Sought {
  readonly ids: readonly string[];
  readonly numbers: Uint32Array;
  readonly spreads: Int32Array;
  /** Room for a filter to sort out. */
  readonly left: Uint32Array;

  constructor(ids: readonly string[]) {
    this.ids = ids;
    this.numbers = new Uint32Array(ids.length);
    this.spreads = new Int32Array(ids.length);
    this.left = new Uint32Array(ids.length);
    for (let at = 0; at < ids.length; at += 1) {
      const number = numberOf(ids[at] ?? "");
      this.numbers[at] = number;
      this.spreads[at] = spreadOf(number);
    }
  }

  /** Whether an id may be there twice: always where one is, and hardly ever else. */
  mayRepeat(): boolean {
    const numbers = this.numbers.toSorted();
    for (let at = 1; at < numbers.length; at += 1) if (numbers[at] === numbers[at - 1]) return true;
    return false;
  }
}
