import { createHmac } from "node:crypto";
import { type HashKey, longHash, messageOf } from "./half-sip-hash.ts";

/** A keyed 64-bit hash of words and texts. */
export class KeyedHash {
  readonly #key: HashKey;

  constructor(key: HashKey) {
    this.#key = key;
  }

  /** The eight bytes of a separate key for each purpose, from one secret. */
  static keyFor(purpose: string, secret: string): Buffer {
    return createHmac("sha256", secret).update(purpose).digest().subarray(0, 8);
  }

  static of(key: Buffer): KeyedHash {
    return new KeyedHash([key.readInt32LE(0), key.readInt32LE(4)]);
  }

  of(message: readonly number[]): [low: number, high: number] {
    messageOf(message.length).set(message);
    return longHash(this.#key, message.length);
  }

  /** Two characters per word, after the length, so that no two texts give the same words; then the words after it. */
  ofText(text: string, ...after: readonly number[]): [low: number, high: number] {
    const textWords = 1 + Math.ceil(text.length / 2);
    const count = textWords + after.length;
    const words = messageOf(count + 1);
    words[0] = text.length;
    for (let at = 0, word = 1; at < text.length; at += 2, word += 1) {
      words[word] = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    }
    words.set(after, textWords);
    return longHash(this.#key, count);
  }
}
