import { checksumOf } from "./flac-checksum.ts";

/** Recordings of silence, made by hand, in the containers that providers take. */

const text = (value: string) => Buffer.from(value, "latin1");
const big32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const big16 = (value: number) => big32(value).subarray(2);
const little = (value: number, size: number) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntLE(value, 0, size);
  return bytes;
};
const plain = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

export interface WavForm {
  readonly seconds: number;
  readonly rate?: number;
  readonly channels?: number;
  readonly bits?: number;
  readonly form?: number;
  /** The size that the data claims. */
  readonly claimedSize?: number;
}

export function wavOf(given: WavForm): Uint8Array<ArrayBuffer> {
  const { seconds, rate = 8000, channels = 1, bits = 8, form = 1 } = given;
  const frame = (channels * bits) / 8;
  const data = Buffer.alloc(Math.round(seconds * rate) * frame);
  const format = Buffer.concat([
    little(form, 2),
    little(channels, 2),
    little(rate, 4),
    little(rate * frame, 4),
    little(frame, 2),
    little(bits, 2),
  ]);
  const size = given.claimedSize ?? data.length;
  const chunks = [text("WAVEfmt "), little(16, 4), format, text("data"), little(size, 4), data];
  return plain(text("RIFF"), little(36 + size, 4), ...chunks);
}

/** MPEG 1, layer 3, 44,100 a second and 32,000 bits a second: each frame plays 1,152 samples in 104 bytes. */
export const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x10, 0xc0]), Buffer.alloc(100)]);

export function mp3Of(frames: number, tagBytes = 0): Uint8Array<ArrayBuffer> {
  const size = Buffer.from([tagBytes >> 21, (tagBytes >> 14) & 127, (tagBytes >> 7) & 127, tagBytes & 127]);
  const tag = tagBytes === 0 ? [] : [text("ID3\x04\0\0"), size, Buffer.alloc(tagBytes, 0x55)];
  return plain(...tag, ...Array.from({ length: frames }, () => MP3_FRAME));
}

const FLAC_HEAD_BYTES = 42;

/** Silence in frames of 65,535 samples each: 8 seconds in some 20 bytes. */
export function flacOf(frames: number, claimedSamples = frames * 65_535): Uint8Array<ArrayBuffer> {
  const [rate, channels, bits] = [8000, 1, 8];
  const settings = Buffer.alloc(34);
  settings.writeUInt32BE(rate * 4096 + (channels - 1) * 512 + (bits - 1) * 16, 10);
  settings.writeUInt32BE(claimedSamples, 14);
  const all = Array.from({ length: frames }, (_, number) => {
    const head = Buffer.from([0xff, 0xf9, 0x70, 0x02, number % 128, 0xff, 0xfe]);
    return Buffer.concat([head, Buffer.from([checksumOf(head), 0, 0, 0, 0])]);
  });
  return plain(text("fLaC"), Buffer.from([0x80, 0, 0, 34]), settings, ...all);
}

/** FLAC in Ogg, in pages of one packet each, of as many bytes as given. */
export function oggFlacOf(frames: number, pageBytes: number): Uint8Array<ArrayBuffer> {
  const flac = flacOf(frames);
  const head = Buffer.concat([text("\x7fFLAC\x01\0\0\0"), flac.subarray(0, FLAC_HEAD_BYTES)]);
  const pages = [];
  for (let at = FLAC_HEAD_BYTES; at < flac.length; at += pageBytes)
    pages.push(pageOf([flac.subarray(at, at + pageBytes)]));
  return plain(pageOf([head], 2), ...pages);
}

/** The position that a page claims: none, because readers count packets. */
const NO_POSITION = Buffer.alloc(8);

function pageOf(packets: readonly Uint8Array[], flags = 0): Buffer {
  const segments = packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / 255) }, () => 255),
    length % 255,
  ]);
  const head = [text("OggS"), Buffer.from([0, flags]), NO_POSITION, little(7, 4), little(0, 4), little(0, 4)];
  return Buffer.concat([...head, Buffer.from([segments.length, ...segments]), ...packets]);
}

export const OPUS_HEAD = Buffer.concat([
  text("OpusHead\x01\x01"),
  little(0, 2),
  little(48_000, 4),
  Buffer.alloc(3),
]);

/** A packet of 20 milliseconds of silence. */
export const OPUS_20_MS = Buffer.from([0x78, 0, 0]);
/** A packet of 6 frames, each 20 milliseconds: as few bytes as there can be. */
export const OPUS_120_MS = Buffer.from([0x7b, 6]);

export function oggOf(packets: readonly Uint8Array[], head: Uint8Array = OPUS_HEAD): Uint8Array<ArrayBuffer> {
  const pages = [];
  for (let at = 0; at < packets.length; at += 100) pages.push(pageOf(packets.slice(at, at + 100)));
  return plain(pageOf([head], 2), ...pages);
}

export const VORBIS_HEAD = Buffer.concat([
  text("\x01vorbis"),
  little(0, 4),
  Buffer.from([1]),
  little(32_000, 4),
  Buffer.alloc(12),
  // Blocks of 256 and 2,048 samples.
  Buffer.from([0xb8, 1]),
]);

const box = (name: string, ...parts: Uint8Array[]) => {
  const content = Buffer.concat(parts);
  return Buffer.concat([big32(content.length + 8), text(name), content]);
};
const full = (name: string, ...parts: Uint8Array[]) => box(name, big32(0), ...parts);

export interface Mp4Form {
  readonly samples: number;
  /** Samples that fragments have beside the table. */
  readonly fragments?: readonly number[];
  /** The kind of AAC: 2 is the usual one. */
  readonly kind?: number;
  readonly handlers?: readonly string[];
  readonly edits?: number;
  readonly track?: number;
  /** The length that the header claims, in thousandths of a second. */
  readonly claimedMilliseconds?: number;
}

/** AAC at 16,000 a second: each sample plays 64 milliseconds. */
export function m4aOf(given: Mp4Form): Uint8Array<ArrayBuffer> {
  const { samples, fragments = [], kind = 2, handlers = ["soun"], edits = 0, track: id = 1 } = given;
  const settings = Buffer.from([0x05, 2, (kind << 3) | 4, 0x08]);
  const about = Buffer.concat([Buffer.from([0x04, 13 + settings.length, 0x40]), Buffer.alloc(12), settings]);
  const esds = full("esds", Buffer.from([0x03, 3 + about.length, 0, 1, 0]), about);
  const entry = box("mp4a", Buffer.alloc(28), esds);
  const list = Array.from({ length: edits }, () => Buffer.alloc(12));
  const table = [full("stsd", big32(1), entry), full("stsz", big32(6), big32(samples))];
  const media = [
    ...handlers.map((name) => full("hdlr", big32(0), text(name))),
    box("minf", box("stbl", ...table)),
  ];
  const track = [
    full("tkhd", big32(0), big32(0), big32(id)),
    box("edts", full("elst", big32(edits), ...list)),
  ];
  const length = given.claimedMilliseconds ?? samples * 64;
  return plain(
    box("ftyp", text("M4A "), big32(0)),
    box(
      "moov",
      full("mvhd", big32(0), big32(0), big32(1000), big32(length)),
      box("trak", ...track, box("mdia", ...media)),
    ),
    ...fragments.map((count) =>
      box("moof", box("traf", full("tfhd", big32(id)), full("trun", big32(count)))),
    ),
    box("mdat", Buffer.alloc(samples * 6)),
  );
}

const element = (id: number, content: Uint8Array, size?: number) => {
  const hex = id.toString(16);
  const name = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  const count = Buffer.concat([Buffer.from([0x10]), big32(size ?? content.length).subarray(1)]);
  return Buffer.concat([name, count, content]);
};
/** A container whose size is not known, as browsers write it. */
const open = (id: number, ...parts: Uint8Array[]) =>
  Buffer.concat([
    Buffer.from(id.toString(16), "hex"),
    Buffer.from([0x01, ...Array.from({ length: 7 }, () => 0xff)]),
    ...parts,
  ]);

export interface WebmForm {
  readonly packets: readonly Uint8Array[];
  readonly codec?: string;
  /** The tracks: the first has the sound. */
  readonly tracks?: number;
}

export function webmOf({ packets, codec = "A_OPUS", tracks: count = 1 }: WebmForm): Uint8Array<ArrayBuffer> {
  const tracks = Array.from({ length: count }, (_, at) =>
    element(
      0xae,
      Buffer.concat([
        element(0xd7, Buffer.from([at + 1])),
        element(0x83, Buffer.from([2])),
        element(0x86, text(codec)),
        ...(codec === "A_VORBIS"
          ? [element(0x63a2, Buffer.concat([Buffer.from([2, 30, 9]), VORBIS_HEAD]))]
          : []),
      ]),
    ),
  );
  const blocks = packets.map((packet) =>
    element(0xa3, Buffer.concat([Buffer.from([0x81]), big16(0), Buffer.from([0x80]), packet])),
  );
  const cluster = open(0x1f43b675, element(0xe7, Buffer.from([0])), ...blocks);
  return plain(
    element(0x1a45dfa3, Buffer.alloc(4)),
    open(0x18538067, element(0x1654ae6b, Buffer.concat(tracks)), cluster),
  );
}
