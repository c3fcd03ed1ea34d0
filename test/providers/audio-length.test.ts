import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { audioSeconds } from "../../src/providers/media/audio-length.ts";
import {
  flacOf,
  m4aOf,
  mp3Of,
  oggFlacOf,
  MP3_FRAME,
  oggOf,
  OPUS_120_MS,
  OPUS_20_MS,
  VORBIS_HEAD,
  wavOf,
  webmOf,
} from "../support/recordings.ts";

const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const copies = (count: number, packet: Uint8Array) => Array.from({ length: count }, () => packet);
const counts = fc.integer({ min: 2, max: 600 });

/** A file of each container, and the seconds that it plays. */
const FILES: Readonly<Record<string, (count: number) => readonly [Uint8Array, number]>> = {
  wav: (count) => [wavOf({ seconds: count / 10 }), count / 10],
  "wav, 16 bits, stereo": (count) => [
    wavOf({ seconds: count / 100, rate: 44_100, channels: 2, bits: 16 }),
    count / 100,
  ],
  "wav, mu-law": (count) => [wavOf({ seconds: count / 10, form: 7 }), count / 10],
  mp3: (count) => [mp3Of(count), (count * 1152) / 44_100],
  "mp3 with a tag": (count) => [mp3Of(count, 5000), (count * 1152) / 44_100],
  flac: (count) => [flacOf(count), (count * 65_535) / 8000],
  "ogg opus": (count) => [oggOf(copies(count, OPUS_20_MS)), count * 0.02],
  "ogg opus, long packets": (count) => [oggOf(copies(count, OPUS_120_MS)), count * 0.12],
  "ogg flac, a frame on each page": (count) => [oggFlacOf(count, 12), (count * 65_535) / 8000],
  "ogg flac, all frames on few pages": (count) => [oggFlacOf(count, 12_000), (count * 65_535) / 8000],
  "ogg flac, frames across pages": (count) => [oggFlacOf(count, 7), (count * 65_535) / 8000],
  "ogg vorbis": (count) => [oggOf(copies(count, Buffer.from([0])), VORBIS_HEAD), count * 0.032],
  m4a: (count) => [m4aOf({ samples: count }), count * 0.064],
  "m4a in fragments": (count) => [m4aOf({ samples: 0, fragments: [count, 3] }), (count + 3) * 0.064],
  webm: (count) => [webmOf({ packets: copies(count, OPUS_20_MS) }), count * 0.02],
  "webm vorbis": (count) => [
    webmOf({ packets: copies(count, Buffer.from([0])), codec: "A_VORBIS" }),
    count * 0.032,
  ],
};

describe.each(Object.entries(FILES))("%s", (_, fileOf) => {
  test("is as long as its frames are", () => {
    fc.assert(
      fc.property(counts, (count) => {
        const [bytes, seconds] = fileOf(count);
        expect(audioSeconds(bytes)).toBeCloseTo(seconds, 2);
      }),
      { numRuns: 20 },
    );
  });

  test("that is cut off, or has other bytes in it, is read to an end", () => {
    fc.assert(
      fc.property(counts, fc.nat(), fc.uint8Array({ maxLength: 40 }), (count, at, others) => {
        const [bytes] = fileOf(count);
        const cut = at % bytes.length;
        const seconds = audioSeconds(joined(bytes.subarray(0, cut), others, bytes.subarray(cut)));
        expect(seconds === null || (Number.isFinite(seconds) && seconds > 0)).toBe(true);
        audioSeconds(bytes.subarray(0, cut));
      }),
      { numRuns: 100 },
    );
  });
});

describe("a length that the file claims changes nothing", () => {
  test.each([
    ["the size of wav's data", wavOf({ seconds: 60, claimedSize: 8 }), 60],
    ["the samples of flac", flacOf(10, 1), 81.918_75],
    ["the length of mp4", m4aOf({ samples: 1000, claimedMilliseconds: 1 }), 64],
  ])("%s", (_, bytes, seconds) => expect(audioSeconds(bytes)).toBeCloseTo(seconds, 4));
});

describe("what can be read in two ways is not read", () => {
  const wav = wavOf({ seconds: 1 });
  const second = joined(wav.subarray(0, 36), wavOf({ seconds: 1, rate: 700_000 }).subarray(12));
  const frame = joined(wav);
  frame[32] = 9;
  test.each([
    ["a second format of wav", second],
    ["another frame size than the format implies", frame],
    ["wav with packets of its own lengths", wavOf({ seconds: 1, form: 0x11 })],
    ["a second track of the same number in webm", joined(...copies(2, webmOf({ packets: [OPUS_20_MS] })))],
    ["sound in webm that does not say its length", webmOf({ packets: [OPUS_20_MS], codec: "A_AAC" })],
    ["edits that play the same again", m4aOf({ samples: 9, edits: 2 })],
    ["AAC whose frames have other lengths", m4aOf({ samples: 9, kind: 39 })],
    ["a second track of such AAC", joined(m4aOf({ samples: 9 }), m4aOf({ samples: 9, kind: 39, track: 2 }))],
    ["frames of mp3 before something else", joined(mp3Of(3), new Uint8Array(5000))],
    ["a single frame of mp3", joined(MP3_FRAME)],
    ["nothing", new Uint8Array(0)],
    ["no recording", new TextEncoder().encode("sound")],
    ["an mp4 of fifty thousand boxes within each other", nested(50_000)],
  ])("%s", (_, bytes) => expect(audioSeconds(bytes)).toBeNull());

  test("a track of sound that is also called something else is sound", () => {
    expect(audioSeconds(m4aOf({ samples: 1000, handlers: ["vide", "soun"] }))).toBeCloseTo(64);
    expect(audioSeconds(m4aOf({ samples: 1000, handlers: ["soun", "vide"] }))).toBeCloseTo(64);
  });

  test("a track that is called something else and has unknown sound is not left out", () => {
    const handlers = ["soun", "vide"];
    const other = m4aOf({ samples: 9, kind: 39, track: 2, handlers });
    expect(audioSeconds(joined(m4aOf({ samples: 9 }), other))).toBeNull();
  });

  test("what looks like a frame of flac and has a wrong checksum is sound", () => {
    const flac = flacOf(10);
    const wrong = flacOf(1).subarray(-12);
    wrong[7] = (wrong[7] ?? 0) ^ 1;
    expect(audioSeconds(joined(flac, wrong))).toBeCloseTo(81.918_75);
  });

  test("a packet of opus that is shorter than a head is sound, whatever comes after it", () => {
    const parts = [Buffer.from("O"), Buffer.from("pusHead")];
    expect(audioSeconds(oggOf(parts))).toBeCloseTo(0.12 + 0.01);
  });

  test("a second recording of flac in ogg is played, too", () => {
    expect(audioSeconds(joined(oggFlacOf(4, 12), oggFlacOf(6, 12)))).toBeCloseTo(81.918_75);
  });

  test("a tag of mp3 that names more bytes than the file has counts those that there are", () => {
    const cut = joined(mp3Of(10), mp3Of(0, 200_000).subarray(0, 2000));
    expect(audioSeconds(cut)).toBeCloseTo(2 + (10 * 1152) / 44_100);
  });

  test("bytes between frames of mp3 count as sound of the lowest rate", () => {
    expect(audioSeconds(joined(mp3Of(10), new Uint8Array(2000), mp3Of(10)))).toBeCloseTo(
      2 + (20 * 1152) / 44_100,
    );
  });
});

describe("a tag before mp3", () => {
  const played = (3000 * 1152) / 44_100;
  const tagged = (head: readonly number[]) => joined(Buffer.from("ID3"), new Uint8Array(head), mp3Of(3000));
  // Each names 312,000 bytes: all frames.
  test.each([
    ["a version that is none", [0xff, 4, 0, 0, 19, 5, 64]],
    ["a revision that is none", [4, 0xff, 0, 0, 19, 5, 64]],
    ["a size that is none", [4, 0, 0, 0, 19, 5, 192]],
  ])("with %s hides no sound", (_, head) => {
    expect(audioSeconds(tagged(head))).toBeCloseTo(played + 0.01, 2);
  });

  test("counts as sound beyond two mebibytes, however many tags they are", () => {
    const most = 2 ** 21;
    expect(audioSeconds(mp3Of(10, most - 10))).toBeCloseTo(11_520 / 44_100, 3);
    expect(audioSeconds(mp3Of(10, most + 990))).toBeCloseTo(1 + 11_520 / 44_100, 3);
    const two = joined(mp3Of(0, most / 2 - 10), mp3Of(10, most / 2 + 990));
    expect(audioSeconds(two)).toBeCloseTo(1 + 11_520 / 44_100, 3);
  });

  test("counts as sound after other bytes or frames", () => {
    const tag = mp3Of(10, 1990);
    expect(audioSeconds(joined(new Uint8Array(1000), tag))).toBeCloseTo(3 + 11_520 / 44_100, 3);
    expect(audioSeconds(joined(mp3Of(10), tag))).toBeCloseTo(2 + 23_040 / 44_100, 3);
  });
});

/** Each side of a bound. Without it, some of these take minutes. */
describe("what takes too many steps is not read", () => {
  const repeated = (bytes: Uint8Array, count: number) => Buffer.alloc(bytes.length * count, bytes);
  const emptyTag = Buffer.from("ID3\x04\0\0\0\0\0\0", "latin1");
  const emptyPage = oggOf([OPUS_20_MS]).slice(-31, -4).fill(0, -1);
  const pages = (count: number) => joined(oggOf(copies(9, OPUS_20_MS)), repeated(emptyPage, count));
  const voids = (count: number) =>
    joined(webmOf({ packets: [OPUS_20_MS] }), repeated(Buffer.from([0xec, 0x80]), count));
  const headers = (count: number) => joined(flacOf(9), repeated(Buffer.from([0xff, 0xf8]), count));
  test.each<[string, (count: number) => Uint8Array, number]>([
    ["tags of mp3", (count) => joined(repeated(emptyTag, count), mp3Of(9)), 1000],
    ["pages of ogg", (count) => pages(count - 2), 200_000],
    ["elements of webm", (count) => voids(count - 10), 500_000],
    ["headers of flac", (count) => headers(count - 9), 200_000],
    ["tracks of webm", (tracks) => webmOf({ packets: [OPUS_20_MS], tracks }), 8],
    [
      "tracks of mp4",
      (count) => joined(...Array.from({ length: count }, (_, at) => m4aOf({ samples: 9, track: at + 1 }))),
      8,
    ],
  ])("%s", (_, fileOf, most) => {
    expect(audioSeconds(fileOf(most))).not.toBeNull();
    expect(audioSeconds(fileOf(most + 1))).toBeNull();
  });

  test("segments of ogg", () => {
    const page = Buffer.concat([emptyPage, Buffer.alloc(255)]);
    page[26] = 255;
    const file = (count: number) => joined(oggOf([OPUS_20_MS]), repeated(page, count));
    expect(audioSeconds(file(1900))).not.toBeNull();
    expect(audioSeconds(file(2000))).toBeNull();
  });

  test("headers of flac in ogg", () => {
    const head = joined(Buffer.from("\x7fFLAC\x01\0\0\0", "latin1"), flacOf(1));
    const packet = repeated(Buffer.from([0xff, 0xf8]), 127);
    const file = (count: number) => joined(oggOf(copies(count, packet), head), oggOf([OPUS_20_MS]));
    expect(audioSeconds(file(1500))).not.toBeNull();
    expect(audioSeconds(file(1600))).toBeNull();
  });

  test("tables of mp4, each of which would be searched to the end of the file", () => {
    const table = Buffer.alloc(60);
    table.writeUInt32BE(60);
    table.write("stsd", 4);
    table.writeUInt32BE(0x7fffffff, 16);
    table.write("mp4a", 20);
    table.writeUInt32BE(8, 52);
    expect(audioSeconds(joined(m4aOf({ samples: 9 }).subarray(0, 20), repeated(table, 90_000)))).toBeNull();
  });
});

test("any bytes are read to an end, behind any beginning", () => {
  const heads = ["RIFF____WAVE", "fLaC", "OggS", "\x1aE\xdf\xa3", "____ftyp", "\xff\xfb\x10\xc0", "ID3"];
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 300 }), (head, bytes) => {
      const seconds = audioSeconds(joined(Buffer.from(head, "latin1"), bytes));
      return seconds === null || seconds > 0;
    }),
    { numRuns: 500 },
  );
});

function nested(depth: number): Uint8Array {
  const boxes = Array.from({ length: depth }, (_, at) => {
    const head = Buffer.alloc(8, "moov", "latin1");
    head.writeUInt32BE((depth - at) * 8);
    head.write("moov", 4, "latin1");
    return head;
  });
  return joined(Buffer.from("\0\0\0\x10ftypM4A \0\0\0\0", "latin1"), ...boxes);
}
