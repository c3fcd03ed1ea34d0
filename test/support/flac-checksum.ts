/** The checksum at the end of a frame's head, bit by bit, as the format describes it. */
export function checksumOf(bytes: Uint8Array): number {
  let sum = 0;
  for (const octet of bytes)
    for (let bit = 7; bit >= 0; bit -= 1) {
      const isOdd = ((sum >> 7) ^ (octet >> bit)) & 1;
      sum = ((sum << 1) & 0xff) ^ (isOdd === 1 ? 0x07 : 0);
    }
  return sum;
}
