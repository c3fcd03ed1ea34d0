import { octetAt, textAt } from "./octets.ts";
import { MOST_OPUS_PACKET_SECONDS, opusPacketSeconds } from "./opus.ts";
import { VORBIS_HEAD, vorbisPacketSeconds } from "./vorbis.ts";

/** Elements that contain others. They are entered and never skipped, so that their sizes need not be known. */
const ELEMENTS_OF_ELEMENTS = new Set([0x18538067, 0x1654ae6b, 0x1f43b675, 0xa0]);
const TRACK = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const CODEC = 0x86;
const CODEC_SETTINGS = 0x63a2;
/** Packets that are compressed, or that lack their beginning. */
const ENCODINGS = 0x6d80;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
/** More than two hours in blocks of 20 milliseconds. */
const MOST_ELEMENTS = 500_000;
const MOST_TRACKS = 8;
const SOUND = 2;
const LACING = 0x06;

interface Track {
  number: number | null;
  isSound: boolean;
  codec: string | null;
  /** What one packet of Vorbis plays at most. */
  vorbis: number | null;
}

/** The sum of the packets of all tracks of sound. The times that blocks and headers state are claims, and are not read. */
export function webmSeconds(bytes: Uint8Array): number | null {
  const tracks: Track[] = [];
  let seconds = 0;
  let at = 0;
  for (let elements = 0; at < bytes.length; elements += 1) {
    if (elements === MOST_ELEMENTS) return null;
    const id = numberAt(bytes, at, false);
    const size = numberAt(bytes, at + (id?.length ?? 0), true);
    if (id === null || size === null) return null;
    at += id.length + size.length;
    if (ELEMENTS_OF_ELEMENTS.has(id.value)) continue;
    if (id.value === TRACK) {
      if (tracks.length === MOST_TRACKS) return null;
      tracks.push({ number: null, isSound: false, codec: null, vorbis: null });
      continue;
    }
    if (size.isUnknown || id.value === ENCODINGS) return null;
    const end = Math.min(at + size.value, bytes.length);
    if (id.value === SIMPLE_BLOCK || id.value === BLOCK) {
      const block = blockSeconds(bytes, at, end, tracks);
      if (block === null) return null;
      seconds += block;
    } else if (!isReadTrack(bytes, id.value, { at, end }, tracks)) return null;
    at = end;
  }
  return seconds;
}

/** False if a track says something twice, or its number is another's: programs differ in which they take. */
function isReadTrack(
  bytes: Uint8Array,
  id: number,
  { at, end }: { at: number; end: number },
  tracks: readonly Track[],
): boolean {
  const track = tracks.at(-1);
  if (track === undefined) return true;
  if (id === TRACK_TYPE) track.isSound ||= octetAt(bytes, end - 1) === SOUND;
  if (id === TRACK_NUMBER) {
    const number = octetAt(bytes, end - 1);
    if (track.number !== null || tracks.some((each) => each.number === number)) return false;
    track.number = number;
  }
  if (id === CODEC) {
    if (track.codec !== null) return false;
    track.codec = textAt(bytes, at, Math.min(end - at, 32));
  }
  if (id === CODEC_SETTINGS) {
    const head = textAt(bytes, at, Math.min(end - at, 256)).indexOf(VORBIS_HEAD);
    track.vorbis = head < 0 ? null : vorbisPacketSeconds(bytes, at + head);
  }
  return true;
}

/** Null for sound whose packets do not say how long they are. */
function blockSeconds(bytes: Uint8Array, at: number, end: number, tracks: readonly Track[]): number | null {
  const number = numberAt(bytes, at, true);
  const track = tracks.find((each) => each.number === number?.value);
  if (number === null || track === undefined) return null;
  if (!track.isSound) return 0;
  const packet = at + number.length + 3;
  const isLaced = (octetAt(bytes, packet - 1) & LACING) !== 0;
  const packets = isLaced ? octetAt(bytes, packet) + 1 : 1;
  if (track.codec === "A_VORBIS" && track.vorbis !== null) return packets * track.vorbis;
  if (track.codec !== "A_OPUS") return null;
  return isLaced ? packets * MOST_OPUS_PACKET_SECONDS : opusPacketSeconds(bytes, packet, end - packet);
}

/** A number that begins with as many zero bits as it has bytes beyond its first. All ones mean a size that is not known. */
function numberAt(bytes: Uint8Array, at: number, isSize: boolean) {
  const length = Math.clz32(octetAt(bytes, at)) - 23;
  if (length > 8 || at + length > bytes.length) return null;
  let value = isSize ? octetAt(bytes, at) & (0xff >> length) : octetAt(bytes, at);
  for (let each = at + 1; each < at + length; each += 1) value = value * 256 + octetAt(bytes, each);
  return { value, length, isUnknown: isSize && value === 2 ** (7 * length) - 1 };
}
