import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventLines } from "../../src/providers/usage/event-lines.ts";

const encoder = new TextEncoder();

function dataOf(chunks: readonly Uint8Array[]): string[] {
  const found: string[] = [];
  const lines = new EventLines((data) => data !== null && found.push(data));
  for (const chunk of chunks) lines.push(chunk);
  return found;
}

function dataIn(text: string): string[] {
  return dataOf([encoder.encode(text)]);
}

/** Pieces of the bytes, of at most so many bytes each. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let from = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(from, from + size));
    from = Math.min(bytes.length, from + size);
  }
  return [...chunks, bytes.subarray(from)];
}

describe("the data of events", () => {
  test.each([
    ["lines end in a line feed", "data: a\n\ndata: b\n\n", ["a", "b"]],
    ["lines end in a return", "data: a\r\rdata: b\r\r", ["a", "b"]],
    ["lines end in both", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["lines end in any of them", "data: a\r\ndata: b\ndata: c\r\r\ndata: d\n\n", ["a\nb\nc", "d"]],
    ["several lines are one event", "data: a\ndata:b\n\n", ["a\nb"]],
    ["an event has empty data", "data:\n\n", [""]],
    ["other fields and comments say nothing", ": c\nid: 1\ndata: a\nretry: 5\n\n", ["a"]],
    ["an event without data is none", "id: 1\n\ndata: a\n\n", ["a"]],
    ["an event that is cut is none", "data: a\n\ndata: b\n", ["a"]],
    ["only the first mark of byte order is skipped", "\uFEFFdata: a\n\n\uFEFFdata: b\n\n", ["a"]],
  ])("%s", (_, text, expected) => {
    expect(dataIn(text)).toEqual(expected);
  });

  test("an event that is too long is skipped, and the next is read", () => {
    const long = `data: ${"x".repeat(1_048_576)}\n\n`;
    expect(dataIn(`data: a\n\n${long}data: b\n\n`)).toEqual(["a", "b"]);
  });

  test("are the same wherever chunks end, also within a character or a line's end", () => {
    const parts = [
      "data: a",
      "data:",
      "data: é€😀",
      "\n",
      "\n\n",
      "\r",
      "\r\n",
      "\uFEFF",
      ": c",
      "é",
      "\uFFFD",
    ];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 20 }).map((some) => some.join(""));
    const wild = fc.uint8Array({ maxLength: 60 });
    const bytes = fc.oneof(
      text.map((one) => encoder.encode(one)),
      fc.tuple(text, wild).map(([one, more]) => Uint8Array.from([...encoder.encode(one), ...more])),
    );
    fc.assert(
      fc.property(bytes, fc.array(fc.nat({ max: 6 }), { maxLength: 30 }), (given, sizes) => {
        expect(dataOf(cut(given, sizes))).toEqual(dataOf([given]));
      }),
      { numRuns: 2000 },
    );
  });
});
