import { littleUint32At, octetAt, textAt } from "./octets.ts";

export const VORBIS_HEAD = "\x01vorbis";

/** The most that one packet plays: half of the longer of the two block sizes that the head names. Null if it is no head of Vorbis. */
export function vorbisPacketSeconds(bytes: Uint8Array, at: number): number | null {
  const rate = littleUint32At(bytes, at + 12);
  if (textAt(bytes, at, VORBIS_HEAD.length) !== VORBIS_HEAD || rate === 0) return null;
  const sizes = octetAt(bytes, at + 28);
  return 2 ** Math.max(sizes >> 4, sizes & 15) / 2 / rate;
}
