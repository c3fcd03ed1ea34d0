import { type HashKey, keyedNumberOf } from "./keyed-number.ts";

/**
 * An id as an evenly distributed 32-bit hash, which is all that the index stores. Hashes can collide, so a match must
 * be compared. Without a key, whoever chooses the ids can make them collide.
 */
export function numberOf(id: string, key: HashKey | null): number {
  return key === null ? unkeyedNumberOf(id) : keyedNumberOf(id, key);
}

function unkeyedNumberOf(id: string): number {
  let hash = id.length;
  for (let at = 0; at < id.length; at += 2) {
    // Reads past the end give NaN, which bitwise operators treat as 0.
    const two = Math.imul(id.charCodeAt(at) | (id.charCodeAt(at + 1) << 16), 0xcc_9e_2d_51);
    hash ^= Math.imul((two << 15) | (two >>> 17), 0x1b_87_35_93);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6_54_6b_64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Mixes all bits of a number, because numbers of one block share their first bits. */
export function spreadOf(number: number): number {
  const product = Math.imul(number ^ (number >>> 16), 0x9e_37_79_b1);
  return product ^ (product >>> 15);
}
