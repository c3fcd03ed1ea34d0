import { octetAt, textAt, uint32At } from "./octets.ts";

const ENTRY_HEAD = 36;
const SAMPLES_OF_AAC = 1024;
/** Main, LC, SSR and LTP, and the two that double the rate and the samples alike. */
const AAC_KINDS = new Set([1, 2, 3, 4, 5, 29]);
const RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
const MPEG_4_AUDIO = 0x40;

/** What one packet of AAC plays, from the settings that its decoder goes by. Null for other sound. */
export function aacPacketSeconds(bytes: Uint8Array, entry: number, end: number): number | null {
  const box = boxIn(bytes, "esds", entry, end);
  if (box === null) return null;
  const about = descriptorIn(bytes, 0x04, esBody(bytes, box + 12), end);
  if (about === null || octetAt(bytes, about) !== MPEG_4_AUDIO) return null;
  const settings = descriptorIn(bytes, 0x05, about + 13, end);
  if (settings === null) return null;
  const [first, second] = [octetAt(bytes, settings), octetAt(bytes, settings + 1)];
  const rateCode = ((first & 7) << 1) | (second >> 7);
  const rate = rateCode === 15 ? (uint32At(bytes, settings + 1) >>> 7) & 0xffffff : (RATES[rateCode] ?? 0);
  return AAC_KINDS.has(first >> 3) && rate > 0 ? SAMPLES_OF_AAC / rate : null;
}

/** What one packet of Apple's lossless sound plays. */
export function alacPacketSeconds(bytes: Uint8Array, entry: number, end: number): number | null {
  const box = boxIn(bytes, "alac", entry, end);
  if (box === null) return null;
  const samples = uint32At(bytes, box + 12);
  const rate = uint32At(bytes, box + 32);
  return rate > 0 ? samples / rate : null;
}

/** Where a box in the entry begins. */
function boxIn(bytes: Uint8Array, name: string, entry: number, end: number): number | null {
  let at = entry + ENTRY_HEAD;
  while (at + 8 <= Math.min(end, bytes.length)) {
    if (textAt(bytes, at + 4, 4) === name) return at;
    const size = uint32At(bytes, at);
    if (size < 8) return null;
    at += size;
  }
  return null;
}

/** The first descriptor has a number and flags before the others, and names no other stream here. */
function esBody(bytes: Uint8Array, at: number): number {
  return octetAt(bytes, at) === 0x03 ? contentOf(bytes, at) + 3 : at;
}

/** Where the content of a descriptor begins. */
function descriptorIn(bytes: Uint8Array, tag: number, at: number, end: number): number | null {
  if (at >= Math.min(end, bytes.length) || octetAt(bytes, at) !== tag) return null;
  return contentOf(bytes, at);
}

/** The size of a descriptor takes one to four bytes. */
function contentOf(bytes: Uint8Array, at: number): number {
  let content = at + 1;
  while (content < at + 4 && octetAt(bytes, content) > 127) content += 1;
  return content + 1;
}
