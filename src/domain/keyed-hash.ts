import { createHmac } from "node:crypto";

/**
 * HalfSipHash-2-4: a keyed 64-bit hash in 32-bit arithmetic, which is fast in JavaScript. Without the key, no one can
 * compute the hash of a message, even after seeing many others.
 */
export class KeyedHash {
  readonly #low: number;
  readonly #high: number;
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  constructor([low, high]: readonly [low: number, high: number]) {
    this.#low = low;
    this.#high = high;
  }

  /** Derives a separate key for each purpose from one secret. */
  static for(purpose: string, secret: string): KeyedHash {
    const bytes = createHmac("sha256", secret).update(purpose).digest();
    return new KeyedHash([bytes.readInt32LE(0), bytes.readInt32LE(4)]);
  }

  of(message: readonly number[]): [low: number, high: number] {
    this.#a = this.#low;
    this.#b = this.#high ^ 0xee;
    this.#c = this.#low ^ 0x6c796765;
    this.#d = this.#high ^ 0x74656462;
    for (let at = 0; at < message.length; at += 1) this.#take(message[at] ?? 0);
    this.#take(message.length << 26);
    this.#c ^= 0xee;
    this.#mix(4);
    const low = this.#b ^ this.#d;
    this.#b ^= 0xdd;
    this.#mix(4);
    return [low, this.#b ^ this.#d];
  }

  #take(word: number): void {
    this.#d ^= word;
    this.#mix(2);
    this.#a ^= word;
  }

  #mix(rounds: number): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let d = this.#d;
    for (let round = 0; round < rounds; round += 1) {
      a = (a + b) | 0;
      b = ((b << 5) | (b >>> 27)) ^ a;
      a = (a << 16) | (a >>> 16);
      c = (c + d) | 0;
      d = ((d << 8) | (d >>> 24)) ^ c;
      a = (a + d) | 0;
      d = ((d << 7) | (d >>> 25)) ^ a;
      c = (c + b) | 0;
      b = ((b << 13) | (b >>> 19)) ^ c;
      c = (c << 16) | (c >>> 16);
    }
    this.#a = a;
    this.#b = b;
    this.#c = c;
    this.#d = d;
  }
}
