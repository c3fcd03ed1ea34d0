import { array, assert, nat, property, uint8Array } from "fast-check";
import { crc32 as zlibCrc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { frameOf } from "../../scripts/stand-in/bedrock.ts";
import { bedrockConverseStream } from "../../src/providers/apis/bedrock-converse.ts";
import type { JsonObject } from "../../src/providers/json.ts";
import { AwsFrames } from "../../src/providers/usage/aws-frames.ts";
import { crc32 } from "../../src/providers/usage/crc32.ts";
import { answerReader, isEventStream } from "../../src/providers/usage/reading.ts";

const TYPE = "application/vnd.amazon.eventstream";
const event = (name: string, payload: object) =>
  frameOf({ ":message-type": "event", ":event-type": name }, payload);
const delta = (text: string) => event("contentBlockDelta", { contentBlockIndex: 0, delta: { text } });
const usage = { inputTokens: 5, outputTokens: 7, totalTokens: 12 };
const metadata = event("metadata", { usage, metrics: { latencyMs: 1 } });

function eventsIn(chunks: readonly Uint8Array[]): (JsonObject | null)[] {
  const events: (JsonObject | null)[] = [];
  const frames = new AwsFrames((one) => void events.push(one));
  for (const chunk of chunks) frames.push(chunk);
  return events;
}

function readingOf(...frames: readonly Uint8Array[]) {
  const reader = answerReader(bedrockConverseStream, TYPE);
  for (const frame of frames) reader.push(frame);
  return reader.reading;
}

/** The frame with checksums that fit, whatever was written into it. */
function withNewChecksum(frame: Buffer): Buffer {
  frame.writeUInt32BE(zlibCrc32(frame.subarray(0, 8)), 8);
  frame.writeUInt32BE(zlibCrc32(frame.subarray(0, -4)), frame.length - 4);
  return frame;
}

test("the checksum is that of zlib", () => {
  assert(
    property(uint8Array({ maxLength: 300 }), (bytes) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes));
    }),
  );
});

test("frames are read alike wherever chunks begin and end", () => {
  const whole = Buffer.concat([delta("Hällo 👋"), delta(" there"), metadata]);
  const expected = eventsIn([whole]);
  expect(expected).toEqual([
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hällo 👋" } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: " there" } } },
    { metadata: { usage, metrics: { latencyMs: 1 } } },
  ]);
  assert(
    property(array(nat(whole.length), { maxLength: 20 }), (cuts) => {
      const ends = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const chunks = ends.slice(1).map((end, at) => whole.subarray(ends[at], end));
      expect(eventsIn(chunks)).toEqual(expected);
    }),
  );
  expect(eventsIn([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
});

test("a stream is told from a whole answer by its type", () => {
  expect([TYPE, `${TYPE}; x=y`, "text/event-stream", "application/json", null].map(isEventStream)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

describe("a stream of Bedrock", () => {
  test("is charged by the usage at its end", () => {
    const reading = readingOf(event("messageStart", { role: "assistant" }), delta("Hi"), metadata);
    expect(reading).toMatchObject({
      isWhole: true,
      isDone: true,
      isStream: true,
      hasUncounted: false,
      usage: { input_tokens: 5, output_tokens: 7 },
    });
  });

  test("that is cut is counted by its text: a token for each byte, and one for each piece", () => {
    const reading = readingOf(delta("Hello"), delta(" you"), metadata.subarray(0, -1));
    expect(reading).toMatchObject({ isWhole: false, isDone: false, usage: null, countedOutput: 11 });
  });

  test("that breaks off with an exception has failed", () => {
    const thrown = frameOf(
      { ":message-type": "exception", ":exception-type": "throttlingException" },
      { message: "slow down" },
    );
    expect(readingOf(delta("Hi"), thrown)).toMatchObject({ hasFailed: true, isWhole: false });
  });

  test("with output that is no text cannot be counted", () => {
    const picture = event("contentBlockDelta", { delta: { image: { source: { bytes: "AAAA" } } } });
    expect(readingOf(picture).hasUncounted).toBe(true);
  });
});

describe("a frame that cannot be believed hides output, and nothing after broken lengths is read", () => {
  const changed = (at: number, change: (frame: Buffer) => void) => {
    const frame = Buffer.from(metadata);
    change(frame);
    return [at, frame] as const;
  };
  const flipped = (at: number) => changed(at, (frame) => frame.writeUInt8((frame[at] ?? 0) ^ 1, at));

  test.each([0, 3, 4, 7, 8, 11].map(flipped))("one changed bit in the prelude, at %i", (_, frame) => {
    expect(eventsIn([frame, metadata])).toEqual([null]);
    expect(readingOf(delta("Hi"), frame, metadata)).toMatchObject({
      hasUncounted: true,
      isWhole: false,
      usage: null,
    });
  });

  test.each([12, 40, metadata.length - 20, metadata.length - 1].map(flipped))(
    "one changed bit after it, at %i, spoils this frame alone",
    (_, frame) => {
      expect(eventsIn([frame, metadata])).toEqual([null, expect.objectContaining({})]);
      expect(readingOf(frame).hasUncounted).toBe(true);
    },
  );

  test.each([
    ["longer than any frame is", (frame: Buffer) => frame.writeUInt32BE(0xffffffff, 0)],
    ["longer than is read", (frame: Buffer) => frame.writeUInt32BE(1_048_577, 0)],
    ["too short for what each frame has", (frame: Buffer) => frame.writeUInt32BE(15, 0)],
    ["with headers beyond its end", (frame: Buffer) => frame.writeUInt32BE(frame.length - 15, 4)],
  ])("%s", (_, change) => {
    const frame = Buffer.from(metadata);
    change(frame);
    expect(eventsIn([withNewChecksum(frame), metadata])).toEqual([null]);
  });

  test.each([
    ["headers that end in the middle of one", (frame: Buffer) => frame.writeUInt32BE(5, 4)],
    ["a header of a type that nobody knows", (frame: Buffer) => frame.writeUInt8(77, 12 + 1 + 13)],
  ])("%s", (_, change) => {
    const frame = Buffer.from(metadata);
    change(frame);
    expect(eventsIn([withNewChecksum(frame), metadata])[0]).toBeNull();
  });

  test("a header that comes twice, a type of message that nobody knows, and a payload that is no object", () => {
    const twice = Buffer.from(
      frameOf(
        { ":message-type": "event", ":event-type": "metadata", ":event-typf": "messageStop" },
        { usage },
      ),
    );
    twice.write(":event-type", twice.indexOf(":event-typf"));
    expect(eventsIn([withNewChecksum(twice)])).toEqual([null]);
    expect(eventsIn([frameOf({ ":message-type": "event" }, { usage })])).toEqual([null]);
    expect(eventsIn([frameOf({ ":message-type": "odd", ":event-type": "metadata" }, { usage })])).toEqual([
      null,
    ]);
    expect(eventsIn([event("metadata", [usage])])).toEqual([null]);
  });

  test("any bytes at all are read without an error, and tell no usage", () => {
    assert(
      property(uint8Array({ maxLength: 200 }), (bytes) => {
        expect(readingOf(bytes)).toMatchObject({ usage: null, isWhole: false });
      }),
    );
  });
});
