import { aacPacketSeconds, alacPacketSeconds } from "./mp4-codecs.ts";
import { octetAt, textAt, uint32At } from "./octets.ts";

const BOXES_OF_BOXES = new Set(["moov", "trak", "mdia", "minf", "stbl", "edts", "moof", "traf"]);
const MOST_BOXES = 100_000;
const MOST_DEPTH = 10;
const MOST_TRACKS = 8;

interface Track {
  isSound: boolean;
  /** Null if it is not known. */
  secondsPerSample: number | null;
  /** How many kinds of samples there are. Null before they are read. */
  kinds: number | null;
  samples: number;
}

interface Movie {
  readonly tracks: Map<number, Track>;
  /** The track of the box that is read. */
  current: Track;
  boxes: number;
  depth: number;
}

/**
 * The number of samples of each track of sound, times what its decoder makes of one. The lengths that headers and tables state
 * are claims, and are not read.
 */
export function mp4Seconds(bytes: Uint8Array): number | null {
  const movie: Movie = { tracks: new Map(), current: emptyTrack(), boxes: 0, depth: 0 };
  if (!readBoxes(bytes, 0, bytes.length, movie)) return null;
  let seconds = 0;
  for (const { isSound, secondsPerSample, kinds, samples } of movie.tracks.values()) {
    if (!isSound && secondsPerSample === null) continue;
    // Samples of a second kind may be longer.
    if (secondsPerSample === null || kinds !== 1) return null;
    seconds += secondsPerSample * samples;
  }
  return seconds;
}

function emptyTrack(): Track {
  return { isSound: false, secondsPerSample: null, kinds: null, samples: 0 };
}

/** False if a box cannot be read. */
function readBoxes(bytes: Uint8Array, from: number, to: number, movie: Movie): boolean {
  let at = from;
  while (at + 8 <= to) {
    movie.boxes += 1;
    const size = sizeAt(bytes, at, to);
    if (size === null || movie.boxes > MOST_BOXES) return false;
    const name = textAt(bytes, at + 4, 4);
    const content = at + (uint32At(bytes, at) === 1 ? 16 : 8);
    movie.depth += 1;
    const isRead = BOXES_OF_BOXES.has(name)
      ? movie.depth < MOST_DEPTH && readBoxes(bytes, content, at + size, movie)
      : readBox(bytes, name, content, movie);
    movie.depth -= 1;
    if (!isRead) return false;
    at += size;
  }
  return true;
}

/** A box without a size goes to the end, and so does one that was cut off. */
function sizeAt(bytes: Uint8Array, at: number, to: number): number | null {
  const short = uint32At(bytes, at);
  const size = short === 1 ? uint32At(bytes, at + 8) * 2 ** 32 + uint32At(bytes, at + 12) : short;
  if (size === 0) return to - at;
  return size < 8 || (short === 1 && size < 16) ? null : Math.min(size, to - at);
}

function readBox(bytes: Uint8Array, name: string, at: number, movie: Movie): boolean {
  const { tracks, current } = movie;
  if (name === "tkhd") {
    const id = uint32At(bytes, at + (octetAt(bytes, at) === 1 ? 20 : 12));
    if (tracks.has(id) || tracks.size === MOST_TRACKS) return false;
    movie.current = emptyTrack();
    tracks.set(id, movie.current);
  }
  if (name === "tfhd") {
    const track = tracks.get(uint32At(bytes, at + 4));
    if (track === undefined) return false;
    movie.current = track;
  }
  if (name === "hdlr") current.isSound ||= textAt(bytes, at + 8, 4) === "soun";
  if (name === "stsd") {
    // Once, because the boxes of an entry are searched to the end of the file.
    if (current.kinds !== null) return false;
    current.kinds = uint32At(bytes, at + 4);
    current.secondsPerSample = packetSeconds(bytes, at + 8);
  }
  if (name === "stsz" || name === "stz2") current.samples += uint32At(bytes, at + 8);
  if (name === "trun") current.samples += uint32At(bytes, at + 4);
  // A list of edits may play the same samples again.
  if (name === "elst") return plays(bytes, at) <= 1;
  return true;
}

function packetSeconds(bytes: Uint8Array, at: number): number | null {
  const end = at + uint32At(bytes, at);
  const name = textAt(bytes, at + 4, 4);
  if (name === "mp4a") return aacPacketSeconds(bytes, at, end);
  return name === "alac" ? alacPacketSeconds(bytes, at, end) : null;
}

/** The edits that play something. Others are silence at the beginning. */
function plays(bytes: Uint8Array, at: number): number {
  const isLong = octetAt(bytes, at) === 1;
  const edits = uint32At(bytes, at + 4);
  if (edits > 2) return edits;
  return Array.from({ length: edits }, (_, edit) => at + 8 + edit * (isLong ? 20 : 12)).filter(
    (edit) => uint32At(bytes, edit + (isLong ? 8 : 4)) !== 0xffffffff,
  ).length;
}
