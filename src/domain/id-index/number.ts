/** An id as 32 bits, evenly spread: all that an index keeps of it. Two ids may have the same, so what is found is compared. */
export function numberOf(id: string): number {
  let hash = id.length;
  for (let at = 0; at < id.length; at += 2) {
    // Beyond the end is NaN, which is 0 among bits.
    const two = Math.imul(id.charCodeAt(at) | (id.charCodeAt(at + 1) << 16), 0xcc_9e_2d_51);
    hash ^= Math.imul((two << 15) | (two >>> 17), 0x1b_87_35_93);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6_54_6b_64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A number with all bits depending on all: those of one block have their first ones in common. */
export function spreadOf(number: number): number {
  const product = Math.imul(number ^ (number >>> 16), 0x9e_37_79_b1);
  return product ^ (product >>> 15);
}
