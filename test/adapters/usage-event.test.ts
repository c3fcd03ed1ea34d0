import * as fc from "fast-check";
import { expect, test } from "vitest";
import { UsageEventFilter } from "../../src/adapters/usage-event.ts";
import { openAiChat } from "../../src/providers/apis/openai-chat.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Filters a text that comes in pieces, wherever they end. */
function filtered(text: string, ends: readonly number[]): string {
  const bytes = encoder.encode(text);
  const filter = new UsageEventFilter(openAiChat);
  const out: number[] = [];
  let from = 0;
  for (const end of [...new Set(ends.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b)) {
    out.push(...filter.shown(bytes.subarray(from, end)));
    from = end;
  }
  out.push(...filter.shown(bytes.subarray(from)), ...filter.rest());
  return decoder.decode(Uint8Array.from(out));
}

const USAGE = '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}';
const data = (json: string) => `data: ${json}\n\n`;

test("only the event with nothing but the usage is taken out, wherever chunks end", () => {
  const event = fc.oneof(
    fc
      .string({ unit: "grapheme" })
      .map((content) => data(JSON.stringify({ choices: [{ delta: { content } }] }))),
    fc.constantFrom(
      data('{"choices":[{"delta":{}}],"usage":null}'),
      data('{"choices":[{"delta":{"content":"x"}}],"usage":{"prompt_tokens":1}}'),
      data('{"usage":'),
      ": a comment\n\n",
      "event: usage\nid: 1\n\n",
      "\n\n",
    ),
  );
  fc.assert(
    fc.property(fc.array(event), fc.array(event), fc.array(fc.nat()), (before, after, ends) => {
      const shown = [...before, ...after].join("");
      expect(filtered([...before, data(USAGE), ...after].join(""), ends)).toBe(shown);
    }),
  );
});

test.each(["\n", "\r", "\r\n"])("lines may end with %j", (end) => {
  const text = data('{"choices":[{"delta":{"content":"hi"}}]}').replaceAll("\n", end);
  const usage = data(USAGE).replaceAll("\n", end);
  const all = text + usage + text;
  expect(
    filtered(
      all,
      Array.from({ length: all.length }, (_, at) => at),
    ),
  ).toBe(text + text);
});

test("an event that is too long to be the one passes, and so does one that is cut", () => {
  const long = data(`{"usage":{"x":"${"y".repeat(70_000)}"},"choices":[]}`);
  expect(filtered(long + data(USAGE), [100, 60_000])).toBe(long);
  expect(filtered('data: {"choices"', [4])).toBe('data: {"choices"');
});

test("what is shown does not depend on where chunks end, however lines end", () => {
  const part = fc.constantFrom(
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "us",
    "age",
    "usage",
    "data: {",
    data(USAGE).trim(),
  );
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat()), (parts, ends) => {
      const text = parts.join("");
      expect(filtered(text, ends)).toBe(filtered(text, []));
    }),
    { numRuns: 1000 },
  );
});
