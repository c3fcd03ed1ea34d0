import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { audioSeconds } from "../../src/providers/media/audio-length.ts";
import {
  flacOf,
  m4aOf,
  mp3Of,
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

  test("bytes between frames of mp3 count as sound of the lowest rate", () => {
    expect(audioSeconds(joined(mp3Of(10), new Uint8Array(2000), mp3Of(10)))).toBeCloseTo(
      2 + (20 * 1152) / 44_100,
    );
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
