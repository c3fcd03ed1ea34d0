/** Two 32-bit words that callers do not know. */
export type HashKey = readonly [number, number];

const FINAL_ROUNDS = 3;

/**
 * An id as an evenly distributed 32-bit hash, which is all that the index stores. Hashes can collide, so a match must
 * be compared. HalfSipHash-1-3 over two characters at a time: without the key, no one can choose ids that share a hash or a
 * part of it.
 */
export function keyHashOf(id: string, key: HashKey): number {
  let a = key[0] | 0;
  let b = key[1] | 0;
  let c = a ^ 0x6c_79_67_65;
  let d = b ^ 0x74_65_64_62;
  const { length } = id;
  const rounds = (length >> 1) + 1 + FINAL_ROUNDS;
  for (let round = 0; round < rounds; round += 1) {
    const at = round * 2;
    let word = 0;
    if (at + 1 < length) word = id.charCodeAt(at) | (id.charCodeAt(at + 1) << 16);
    // Then the length, with the last character of an odd number of characters.
    else if (at <= length) word = (length << 16) | (at < length ? id.charCodeAt(at) : 0);
    else if (at <= length + 2) c ^= 0xff;
    d ^= word;
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
    a ^= word;
  }
  return (b ^ d) >>> 0;
}

/** Mixes all bits of a number, because numbers of one block share their first bits. */
export function spreadOf(number: number): number {
  const product = Math.imul(number ^ (number >>> 16), 0x9e_37_79_b1);
  return product ^ (product >>> 15);
}
