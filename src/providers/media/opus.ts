import { octetAt } from "./octets.ts";

const MILLISECONDS = { silk: [10, 20, 40, 60], hybrid: [10, 20], celt: [2.5, 5, 10, 20] };
/** No packet is longer, and a lost one is not played longer. */
const MOST_MILLISECONDS = 120;

/** The length of a packet, which its first two bytes say and its decoder goes by. */
export function opusPacketSeconds(bytes: Uint8Array, at: number, size: number): number {
  if (size === 0) return MOST_MILLISECONDS / 1000;
  const head = octetAt(bytes, at);
  const mode = head >> 3;
  const frame =
    mode < 12
      ? MILLISECONDS.silk[mode & 3]
      : mode < 16
        ? MILLISECONDS.hybrid[mode & 1]
        : MILLISECONDS.celt[mode & 3];
  const counts = [1, 2, 2, size < 2 ? Infinity : octetAt(bytes, at + 1) & 63];
  const all = (frame ?? MOST_MILLISECONDS) * (counts[head & 3] ?? Infinity);
  return Math.min(all, MOST_MILLISECONDS) / 1000;
}

export const MOST_OPUS_PACKET_SECONDS = MOST_MILLISECONDS / 1000;
