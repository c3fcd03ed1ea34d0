import { flacSeconds } from "./flac.ts";
import { mp3Seconds } from "./mp3.ts";
import { mp4Seconds } from "./mp4.ts";
import { oggSeconds } from "./ogg.ts";
import { textAt } from "./octets.ts";
import { wavSeconds } from "./wav.ts";
import { webmSeconds } from "./webm.ts";

/**
 * The length of a recording in seconds, counted from its frames. A length that the file claims is not read, because whoever
 * made the file chose it. Null if the frames cannot be counted: no bound by bytes holds then, because silence takes next to none.
 */
export function audioSeconds(bytes: Uint8Array): number | null {
  const read = isMp4(bytes) ? mp4Seconds : (READERS[textAt(bytes, 0, 4)] ?? mp3Seconds);
  const seconds = read(bytes);
  return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

export function isMp4(bytes: Uint8Array): boolean {
  return textAt(bytes, 4, 4) === "ftyp";
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => number | null>> = {
  RIFF: wavSeconds,
  fLaC: flacSeconds,
  OggS: oggSeconds,
  "\x1aE\xdf\xa3": webmSeconds,
};
