import { type HashKey, messageOf, shortHash } from "../../domain/bytes/half-sip-hash.ts";

export type { HashKey } from "../../domain/bytes/half-sip-hash.ts";

/**
 * An id as an evenly distributed 32-bit hash, which is all that the index stores. Hashes can collide, so a match must
 * be compared. Without the key, no one can choose ids that share a hash or a part of it.
 */
export function keyHashOf(id: string, key: HashKey): number {
  const { length } = id;
  const pairs = length >> 1;
  const words = messageOf(pairs + 1);
  for (let word = 0, at = 0; word < pairs; word += 1, at += 2) {
    words[word] = id.charCodeAt(at) | (id.charCodeAt(at + 1) << 16);
  }
  // Then the length, with the last character of an odd number of characters.
  words[pairs] = (length << 16) | (length % 2 === 0 ? 0 : id.charCodeAt(length - 1));
  return shortHash(key, pairs + 1) >>> 0;
}

/** Mixes all bits of a number, because numbers of one block share their first bits. */
export function spreadOf(number: number): number {
  const product = Math.imul(number ^ (number >>> 16), 0x9e_37_79_b1);
  return product ^ (product >>> 15);
}
