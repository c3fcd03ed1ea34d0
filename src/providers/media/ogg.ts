import { flacFrameSeconds, flacRate } from "./flac.ts";
import { littleUint32At, octetAt, textAt } from "./octets.ts";
import { opusPacketSeconds } from "./opus.ts";
import { vorbisPacketSeconds } from "./vorbis.ts";

const PAGE_HEAD = 27;
const CONTINUED = 1;
const FIRST = 2;
const OPUS_HEAD = "OpusHead";
const OPUS_TAGS = "OpusTags";
const FLAC_HEAD = "\x7fFLAC";
/** The head of the file begins after that of the mapping. */
const FLAC_MAPPING = 9;

interface Stream {
  readonly secondsOf: (at: number, size: number) => number;
  /** True if its last page ended within a packet. */
  isOpen: boolean;
}

/** The sum of the packets of all streams. The positions that pages state are claims, and are not read. */
export function oggSeconds(bytes: Uint8Array): number | null {
  const streams = new Map<number, Stream>();
  let seconds = 0;
  let at = 0;
  while (at < bytes.length) {
    if (textAt(bytes, at, 4) !== "OggS" || at + PAGE_HEAD > bytes.length) return null;
    const flags = octetAt(bytes, at + 5);
    const serial = littleUint32At(bytes, at + 14);
    const segments = bytes.subarray(at + PAGE_HEAD, at + PAGE_HEAD + octetAt(bytes, at + 26));
    const body = at + PAGE_HEAD + segments.length;
    if ((flags & FIRST) !== 0) {
      const stream = streamAt(bytes, body);
      if (stream === null) return null;
      streams.set(serial, stream);
    }
    const stream = streams.get(serial);
    if (stream === undefined) return null;
    const isContinued = (flags & CONTINUED) !== 0 && stream.isOpen;
    const page = pageSeconds(segments, body, stream, isContinued);
    seconds += page.seconds;
    at = page.end;
  }
  return seconds;
}

/** A packet is as long as its run of full segments and the one that is not full. */
function pageSeconds(segments: Uint8Array, body: number, stream: Stream, isContinued: boolean) {
  let seconds = 0;
  let [start, end, isCounted] = [body, body, isContinued];
  for (const segment of segments) {
    end += segment;
    if (segment === 255) continue;
    if (!isCounted) seconds += stream.secondsOf(start, end - start);
    [start, isCounted] = [end, false];
  }
  // Where all of the page is in the middle of one packet, that was counted at its beginning.
  if (end > start && !isCounted) seconds += stream.secondsOf(start, end - start);
  stream.isOpen = segments.at(-1) === 255;
  return { seconds, end };
}

/** Null for sound whose packets do not say how long they are. */
function streamAt(bytes: Uint8Array, at: number): Stream | null {
  if (textAt(bytes, at, OPUS_HEAD.length) === OPUS_HEAD) {
    const isHead = (packet: number) =>
      [OPUS_HEAD, OPUS_TAGS].includes(textAt(bytes, packet, OPUS_HEAD.length));
    return {
      secondsOf: (packet, size) => (isHead(packet) ? 0 : opusPacketSeconds(bytes, packet, size)),
      isOpen: false,
    };
  }
  if (textAt(bytes, at, FLAC_HEAD.length) === FLAC_HEAD) {
    const rate = flacRate(bytes, at + FLAC_MAPPING);
    return { secondsOf: (packet) => flacFrameSeconds(bytes, packet, rate), isOpen: false };
  }
  const seconds = vorbisPacketSeconds(bytes, at);
  // The first bit of a header is set, and that of a packet with sound is not.
  return seconds === null
    ? null
    : { secondsOf: (packet) => ((octetAt(bytes, packet) & 1) === 1 ? 0 : seconds), isOpen: false };
}
