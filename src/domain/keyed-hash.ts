import { createHmac } from "node:crypto";

/** The words of the message at hand. Shared, because hashing is synchronous and an array of its own for each costs more. */
let words = new Int32Array(1024);

/**
 * HalfSipHash-2-4: a keyed 64-bit hash in 32-bit arithmetic, which is fast in JavaScript. Without the key, no one can
 * compute the hash of a message, even after seeing many others.
 */
export class KeyedHash {
  readonly #low: number;
  readonly #high: number;

  constructor([low, high]: readonly [low: number, high: number]) {
    this.#low = low;
    this.#high = high;
  }

  /** Derives a separate key for each purpose from one secret. */
  static for(purpose: string, secret: string): KeyedHash {
    return KeyedHash.of(KeyedHash.keyFor(purpose, secret));
  }

  /** The eight bytes of that key. */
  static keyFor(purpose: string, secret: string): Buffer {
    return createHmac("sha256", secret).update(purpose).digest().subarray(0, 8);
  }

  static of(key: Buffer): KeyedHash {
    return new KeyedHash([key.readInt32LE(0), key.readInt32LE(4)]);
  }

  of(message: readonly number[]): [low: number, high: number] {
    makeRoom(message.length);
    words.set(message);
    return hashOf(this.#low, this.#high, message.length);
  }

  /** Two characters per word, after the length, so that no two texts give the same words; then the words after it. */
  ofText(text: string, ...after: readonly number[]): [low: number, high: number] {
    const textWords = 1 + Math.ceil(text.length / 2);
    const count = textWords + after.length;
    makeRoom(count);
    words[0] = text.length;
    for (let at = 0, word = 1; at < text.length; at += 2, word += 1) {
      words[word] = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    }
    words.set(after, textWords);
    return hashOf(this.#low, this.#high, count);
  }
}

function makeRoom(count: number): void {
  if (count > words.length) words = new Int32Array(2 * count);
}

/** Of the first words. In local variables: fields that hold 32 bits are allocated anew each time they are set. */
function hashOf(keyLow: number, keyHigh: number, count: number): [low: number, high: number] {
  let a = keyLow;
  let b = keyHigh ^ 0xee;
  let c = keyLow ^ 0x6c796765;
  let d = keyHigh ^ 0x74656462;
  let low = 0;
  // After the words comes one with their number, and after that the two halves of the result.
  for (let step = 0; step < count + 3; step += 1) {
    const isWord = step <= count;
    const word = step < count ? (words[step] ?? 0) : count << 26;
    if (isWord) d ^= word;
    else if (step === count + 1) c ^= 0xee;
    else {
      low = b ^ d;
      b ^= 0xdd;
    }
    for (let round = isWord ? 2 : 4; round > 0; round -= 1) {
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
    if (isWord) a ^= word;
  }
  return [low, b ^ d];
}
