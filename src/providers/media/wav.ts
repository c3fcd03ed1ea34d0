import { littleUint16At, littleUint32At, textAt } from "./octets.ts";

const CHUNKS_FROM = 12;
const MOST_CHUNKS = 1000;
/** PCM, floats, and the two laws of telephony: forms in which every sample has the same size. */
const FIXED_SIZE = new Set([1, 3, 6, 7]);
const EXTENSIBLE = 0xfffe;
const MOST_RATE = 768_000;

/** The samples from the beginning of the data to the end of the file, because the size of the data is a claim. */
export function wavSeconds(bytes: Uint8Array): number | null {
  if (textAt(bytes, 8, 4) !== "WAVE") return null;
  let bytesPerSecond: number | null = null;
  let at = CHUNKS_FROM;
  for (let chunk = 0; chunk < MOST_CHUNKS && at + 8 <= bytes.length; chunk += 1) {
    const name = textAt(bytes, at, 4);
    if (name === "data") return bytesPerSecond === null ? null : (bytes.length - at - 8) / bytesPerSecond;
    if (name === "fmt ") {
      // Programs differ in which of two they take.
      if (bytesPerSecond !== null) return null;
      bytesPerSecond = bytesPerSecondOf(bytes, at + 8);
      if (bytesPerSecond === null) return null;
    }
    const size = littleUint32At(bytes, at + 4);
    at += 8 + size + (size % 2);
  }
  return null;
}

/** The frame size that the form implies must be the one that the file states, because programs differ in which they take. */
function bytesPerSecondOf(bytes: Uint8Array, at: number): number | null {
  const stated = littleUint16At(bytes, at);
  const form = stated === EXTENSIBLE ? littleUint16At(bytes, at + 24) : stated;
  const channels = littleUint16At(bytes, at + 2);
  const rate = littleUint32At(bytes, at + 4);
  const frame = littleUint16At(bytes, at + 12);
  const bits = littleUint16At(bytes, at + 14);
  const isPlain = FIXED_SIZE.has(form) && bits % 8 === 0 && frame > 0 && frame === (channels * bits) / 8;
  return isPlain && rate > 0 && rate <= MOST_RATE ? frame * rate : null;
}
