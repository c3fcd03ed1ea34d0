import { flacSeconds } from "./flac.ts";
import { littleUint32At, octetAt, textAt } from "./octets.ts";
import { opusPacketSeconds } from "./opus.ts";
import { vorbisPacketSeconds } from "./vorbis.ts";

const PAGE_HEAD = 27;
const CONTINUED = 1;
const FIRST = 2;
/** More than an hour in pages of one packet of 20 milliseconds. */
const MOST_PAGES = 200_000;
const MOST_SEGMENTS = 500_000;
const OPUS_HEAD = "OpusHead";
const OPUS_TAGS = "OpusTags";
const FLAC_HEAD = "\x7fFLAC";
/** The head of the file begins after that of the mapping. */
const FLAC_MAPPING = 9;

interface Stream {
  /** What it has on each page, if it is FLAC. Others are counted page by page. */
  readonly flac: Uint8Array[] | null;
  readonly secondsOf: (at: number, size: number) => number;
  /** True if its last page ended within a packet. */
  isOpen: boolean;
}

/** The sum of the packets of all streams. The positions that pages state are claims, and are not read. */
export function oggSeconds(bytes: Uint8Array): number | null {
  const streams = new Map<number, Stream>();
  const flacs: Uint8Array[][] = [];
  let seconds = 0;
  let at = 0;
  let allSegments = 0;
  for (let pages = 0; at < bytes.length; pages += 1) {
    if (pages === MOST_PAGES || allSegments > MOST_SEGMENTS) return null;
    if (textAt(bytes, at, 4) !== "OggS" || at + PAGE_HEAD > bytes.length) return null;
    const flags = octetAt(bytes, at + 5);
    const serial = littleUint32At(bytes, at + 14);
    const segments = bytes.subarray(at + PAGE_HEAD, at + PAGE_HEAD + octetAt(bytes, at + 26));
    const body = at + PAGE_HEAD + segments.length;
    allSegments += segments.length;
    if ((flags & FIRST) !== 0) {
      const stream = streamAt(bytes, body);
      if (stream === null) return null;
      streams.set(serial, stream);
      if (stream.flac !== null) flacs.push(stream.flac);
    }
    const stream = streams.get(serial);
    if (stream === undefined) return null;
    const isContinued = (flags & CONTINUED) !== 0 && stream.isOpen;
    const page = pageSeconds(segments, body, stream, isContinued);
    seconds += page.seconds;
    stream.flac?.push(bytes.subarray(body, page.end));
    at = page.end;
  }
  for (const flac of flacs) {
    const own = mappedFlacSeconds(flac);
    if (own === null) return null;
    seconds += own;
  }
  return seconds;
}

/** A packet may have many frames, and a header may begin on one page and end on the next, so all pages are read as one. */
function mappedFlacSeconds(pages: readonly Uint8Array[]): number | null {
  const whole = new Uint8Array(pages.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const page of pages) {
    whole.set(page, at);
    at += page.length;
  }
  return flacSeconds(whole.subarray(FLAC_MAPPING));
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
      flac: null,
      secondsOf: (packet, size) =>
        size >= OPUS_HEAD.length && isHead(packet) ? 0 : opusPacketSeconds(bytes, packet, size),
      isOpen: false,
    };
  }
  if (textAt(bytes, at, FLAC_HEAD.length) === FLAC_HEAD) {
    return { flac: [], secondsOf: () => 0, isOpen: false };
  }
  const seconds = vorbisPacketSeconds(bytes, at);
  // The first bit of a header is set, and that of a packet with sound is not.
  return seconds === null
    ? null
    : {
        flac: null,
        secondsOf: (packet) => ((octetAt(bytes, packet) & 1) === 1 ? 0 : seconds),
        isOpen: false,
      };
}
