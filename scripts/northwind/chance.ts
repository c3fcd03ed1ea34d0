/** The same numbers in the same order each time, so that every Northwind is alike. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** At least 0, and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    const found = from[Math.floor(this.next() * from.length)];
    if (found === undefined) throw new Error("there is nothing to pick from");
    return found;
  }

  /** One of these, in proportion to their shares. */
  byShare<T extends { readonly share: number }>(from: readonly T[]): T {
    let left = this.next() * from.reduce((sum, { share }) => sum + share, 0);
    for (const one of from) {
      left -= one.share;
      if (left < 0) return one;
    }
    return this.pick(from);
  }
}
