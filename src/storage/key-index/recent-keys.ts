import type { Block } from "./block.ts";

const FEWEST = 64;

/** The latest entries, in memory: a hash table that is at most half full, so that lookups are fast. */
export class RecentKeys {
  readonly #most: number;
  #numbers = new Uint32Array(FEWEST);
  #seqs = new Float64Array(FEWEST);
  /** For each slot, the entry's index plus one. 0 means empty. */
  #places = new Uint16Array(FEWEST * 2);
  #length = 0;

  /** `most` is below 2 ** 16. */
  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#length === this.#most;
  }

  /** Infinity if empty. */
  get firstSeq(): number {
    return this.#length === 0 ? Number.POSITIVE_INFINITY : (this.#seqs[0] ?? 0);
  }

  /** All entries as one block. */
  get block(): Block {
    const { firstSeq } = this;
    const words = new Uint32Array(this.#length * 2);
    words.set(this.#numbers.subarray(0, this.#length));
    for (let at = 0; at < this.#length; at += 1) words[this.#length + at] = (this.#seqs[at] ?? 0) - firstSeq;
    return { words, firstSeq };
  }

  /** Seqs come in rising order. */
  add(number: number, seq: number): void {
    if (this.#length === this.#numbers.length) this.#grow();
    this.#numbers[this.#length] = number;
    this.#seqs[this.#length] = seq;
    this.#length += 1;
    this.#place(number, this.#length);
  }

  /** The seqs of the numbers. */
  find(numbers: Uint32Array): number[] {
    const found: number[] = [];
    const places = this.#places;
    const last = places.length - 1;
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0;
      let place = number & last;
      for (let index = places[place] ?? 0; index !== 0; index = places[place] ?? 0) {
        if (this.#numbers[index - 1] === number) found.push(this.#seqs[index - 1] ?? 0);
        place = (place + 1) & last;
      }
    }
    return found;
  }

  /** Forgets entries after a seq. */
  cutAfter(seq: number): void {
    while (this.#length > 0 && (this.#seqs[this.#length - 1] ?? 0) > seq) this.#length -= 1;
    this.#placeAll();
  }

  clear(): void {
    this.cutAfter(Number.NEGATIVE_INFINITY);
  }

  #grow(): void {
    const [numbers, seqs] = [this.#numbers, this.#seqs];
    this.#numbers = new Uint32Array(numbers.length * 2);
    this.#numbers.set(numbers);
    this.#seqs = new Float64Array(seqs.length * 2);
    this.#seqs.set(seqs);
    this.#places = new Uint16Array(this.#places.length * 2);
    this.#placeAll();
  }

  #placeAll(): void {
    this.#places.fill(0);
    for (let index = 0; index < this.#length; index += 1) this.#place(this.#numbers[index] ?? 0, index + 1);
  }

  #place(number: number, index: number): void {
    const last = this.#places.length - 1;
    let place = number & last;
    while (this.#places[place] !== 0) place = (place + 1) & last;
    this.#places[place] = index;
  }
}
