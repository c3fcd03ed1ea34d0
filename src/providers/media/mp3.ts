import { octetAt, textAt } from "./octets.ts";

const KILOBITS_OF_MPEG_1 = {
  1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
} as const;
const KILOBITS_OF_MPEG_2 = {
  1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const RATES = [44_100, 48_000, 32_000];

/** The lowest bit rate is 8,000 bits a second. */
const LEAST_BYTES_PER_SECOND = 1000;
/** Tags and damage between frames. More may be another container. */
const MOST_OTHER_BYTES = 4096;
/** Titles and pictures before the sound. What is beyond counts as sound. */
const MOST_HEAD_BYTES = 2 ** 21;
const MOST_TAGS = 1000;
const LEAST_FRAMES = 2;

/**
 * The sum of frames, each of which begins where the one before ends. Bytes between frames count as sound of the lowest rate, which is
 * the most that a decoder can find in them.
 */
export function mp3Seconds(bytes: Uint8Array): number | null {
  let seconds = 0;
  let frames = 0;
  let others = 0;
  let tags = 0;
  let head = MOST_HEAD_BYTES;
  let at = 0;
  while (at < bytes.length) {
    const frame = frameAt(bytes, at);
    if (frame !== null) {
      seconds += frame.seconds;
      frames += 1;
      at += frame.length;
      continue;
    }
    const tag = tagBytesAt(bytes, at);
    if (tag > 0) tags += 1;
    else others += 1;
    if (others > MOST_OTHER_BYTES || tags > MOST_TAGS) return null;
    // Decoders skip only the tags that come before anything else.
    const skipped = frames === 0 && others === 0 ? Math.min(tag, head) : 0;
    head -= skipped;
    const length = Math.max(1, tag);
    seconds += (length - skipped) / LEAST_BYTES_PER_SECOND;
    at += length;
  }
  return frames < LEAST_FRAMES ? null : seconds;
}

/** The length of a tag with titles and pictures. Zero where decoders see none, so that they find sound in what looks like one. */
function tagBytesAt(bytes: Uint8Array, at: number): number {
  if (textAt(bytes, at, 3) !== "ID3") return 0;
  const size = bytes.subarray(at + 6, at + 10);
  if (bytes[at + 3] === 0xff || bytes[at + 4] === 0xff || size.some((octet) => octet > 127)) return 0;
  const named = size.reduce((sum, octet) => sum * 128 + octet, 0);
  return Math.min(10 + named, bytes.length - at);
}

function frameAt(bytes: Uint8Array, at: number): { length: number; seconds: number } | null {
  const [second, third] = [octetAt(bytes, at + 1), octetAt(bytes, at + 2)];
  if (octetAt(bytes, at) !== 0xff || (second & 0xe0) !== 0xe0) return null;
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const fullRate = RATES[(third >> 2) & 3];
  if (version === 1 || fullRate === undefined || (layer !== 1 && layer !== 2 && layer !== 3)) return null;
  const isFull = version === 3;
  const kilobits = (isFull ? KILOBITS_OF_MPEG_1 : KILOBITS_OF_MPEG_2)[layer][third >> 4] ?? 0;
  // Zero is a rate that the header does not name, which decoders of the providers do not play.
  if (kilobits === 0) return null;
  const rate = isFull ? fullRate : fullRate / (version === 2 ? 2 : 4);
  const slot = layer === 1 ? 4 : 1;
  const samples = layer === 1 ? 384 : layer === 3 && !isFull ? 576 : 1152;
  const slots = Math.floor((samples * kilobits * 1000) / 8 / slot / rate) + ((third >> 1) & 1);
  return { length: slots * slot, seconds: samples / rate };
}
