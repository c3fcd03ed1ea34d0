import { octetAt } from "./octets.ts";

const RATES = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
const RATE_AT = 18;
const MOST_CHANNEL_CODE = 10;
/** More than two hours in frames of the usual size. */
const MOST_HEADERS = 200_000;

/**
 * The sum of all headers of frames in the file, wherever they are. A decoder plays no frame without a valid header, so this is
 * never less than what it plays; bytes of sound look like a header once in several millions.
 */
export function flacSeconds(bytes: Uint8Array): number | null {
  const usualRate = flacRate(bytes);
  let seconds = 0;
  let headers = 0;
  for (let at = bytes.indexOf(0xff, 4); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    if ((octetAt(bytes, at + 1) & 0xfe) !== 0xf8) continue;
    headers += 1;
    if (headers > MOST_HEADERS) return null;
    seconds += flacFrameSeconds(bytes, at, usualRate);
  }
  return seconds;
}

/** The rate of frames that name none, from the head of the file. */
function flacRate(bytes: Uint8Array): number {
  const at = RATE_AT;
  return (octetAt(bytes, at) << 12) | (octetAt(bytes, at + 1) << 4) | (octetAt(bytes, at + 2) >> 4);
}

/** Zero if no frame begins here. Infinite if nothing says its rate. */
function flacFrameSeconds(bytes: Uint8Array, at: number, usualRate: number): number {
  const frame = frameAt(bytes, at);
  return frame === null ? 0 : frame.samples / (frame.rate === 0 ? usualRate : frame.rate);
}

function frameAt(bytes: Uint8Array, start: number): { samples: number; rate: number } | null {
  const [sizeCode, rateCode] = [octetAt(bytes, start + 2) >> 4, octetAt(bytes, start + 2) & 15];
  if (sizeCode === 0 || rateCode === 15 || octetAt(bytes, start + 3) >> 4 > MOST_CHANNEL_CODE) return null;
  let at = start + 4 + lengthOfNumber(octetAt(bytes, start + 4));
  const take = (count: number) => {
    let value = 0;
    for (const end = at + count; at < end; at += 1) value = value * 256 + octetAt(bytes, at);
    return value;
  };
  const samples = samplesOf(sizeCode, take);
  const rate = rateOf(rateCode, take);
  return checksum(bytes, start, at) === bytes[at] ? { samples, rate } : null;
}

function samplesOf(code: number, take: (count: number) => number): number {
  if (code === 1) return 192;
  if (code < 6) return 576 << (code - 2);
  if (code < 8) return take(code - 5) + 1;
  return 256 << (code - 8);
}

/** Zero means the rate of the whole file. */
function rateOf(code: number, take: (count: number) => number): number {
  if (code === 12) return take(1) * 1000;
  if (code === 13) return take(2);
  if (code === 14) return take(2) * 10;
  return RATES[code] ?? 0;
}

/** The number of a frame is written as UTF-8 writes characters. */
function lengthOfNumber(first: number): number {
  const ones = Math.clz32(~(first << 24));
  return ones === 0 ? 1 : ones;
}

const POLYNOMIAL = 0x07;

const TABLE = Uint8Array.from({ length: 256 }, (_, octet) => {
  let sum = octet;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ (sum & 0x80 ? 0x100 | POLYNOMIAL : 0);
  return sum;
});

function checksum(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum = TABLE[sum ^ octetAt(bytes, at)] ?? 0;
  return sum;
}
