import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../../src/providers/apis/anthropic-messages.ts";
import { anyAnswer } from "../../src/providers/any-answer.ts";
import { anthropicUsage } from "../../src/providers/usage/anthropic-usage.ts";
import { geminiUsage } from "../../src/providers/usage/gemini-usage.ts";
import { openAiUsage } from "../../src/providers/usage/openai-usage.ts";
import { answerReader } from "../../src/providers/usage/reading.ts";
import { answerTo } from "../../scripts/stand-in/answers.ts";

const STREAM = "text/event-stream; charset=utf-8";
const encoder = new TextEncoder();

/** Reads a text in pieces that end wherever they like. */
function read(text: string, type: string, ends: readonly number[] = []) {
  const bytes = encoder.encode(text);
  const reader = answerReader(anyAnswer, type);
  let from = 0;
  for (const end of [...new Set(ends.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b)) {
    reader.push(bytes.subarray(from, end));
    from = end;
  }
  reader.push(bytes.subarray(from));
  return reader.reading;
}

function everyByte(text: string): number[] {
  return Array.from(encoder.encode(text), (_, at) => at);
}

/** What the stand-in says to a body, whole. */
function spoken(path: string, body: object): string {
  const asked = { method: "POST", path, key: "k", expectedKey: "k", body: JSON.stringify(body) };
  const { json, pieces } = answerTo(asked);
  return pieces === null ? JSON.stringify(json) : Array.from(pieces, ({ text }) => text).join("");
}

const content = `cached 30 words, für 火 ${"and more of it ".repeat(60)}`;
const messages = [{ role: "user", content }];
const input = content;
const model = "m";
const stream = true;

const ANSWERS: readonly [string, string, string][] = [
  [
    "a chat completion",
    "application/json",
    spoken("/v1/chat/completions", { model, messages, reasoning_effort: "low" }),
  ],
  [
    "a stream of a chat completion",
    STREAM,
    spoken("/v1/chat/completions", {
      model,
      messages,
      stream,
      reasoning_effort: "low",
      stream_options: { include_usage: true },
    }),
  ],
  ["a response", "application/json", spoken("/v1/responses", { model, input, reasoning: {} })],
  ["a stream of a response", STREAM, spoken("/v1/responses", { model, input, stream, reasoning: {} })],
  ["a message", "application/json", spoken("/v1/messages", { model, messages, max_tokens: 99 })],
  ["a stream of a message", STREAM, spoken("/v1/messages", { model, messages, max_tokens: 99, stream })],
];

describe("the provider's usage is read the same, wherever chunks end", () => {
  test.each(ANSWERS)("%s", (name, type, text) => {
    const whole = read(text, type);
    const thinks = !name.includes("message");
    expect(whole).toMatchObject({ isWhole: true, hasFailed: false });
    expect(whole.usage).toMatchObject({
      output_tokens: thinks ? 38 : 30,
      cache_read_tokens: expect.any(Number),
    });
    expect(whole.usage?.reasoning_tokens).toBe(thinks ? 8 : undefined);
    expect(whole.usage?.input_tokens).toBeGreaterThan(whole.usage?.cache_read_tokens ?? 0);
    expect(read(text, type, everyByte(text))).toEqual(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (ends) => {
        expect(read(text, type, ends)).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  test("an embedding has input only", () => {
    const text = spoken("/v1/embeddings", { model, input: ["one", "two"] });
    expect(read(text, "application/json", everyByte(text)).usage).toEqual({
      input_tokens: 4,
      output_tokens: 0,
    });
  });

  test.each(["\n", "\r", "\r\n"])("lines may end with %j", (end) => {
    const text = spoken("/v1/messages", { model, messages, max_tokens: 99, stream }).replaceAll("\n", end);
    expect(read(text, STREAM, everyByte(text)).usage).toMatchObject({ output_tokens: 30 });
  });
});

describe("an event of a stream", () => {
  const usage = { prompt_tokens: 12, completion_tokens: 30 };
  const told = { usage: { input_tokens: 12, output_tokens: 30 }, isWhole: true };

  test.each([
    ["spaces", `{"choices": [], "usage" :\t ${JSON.stringify(usage)}}`, told],
    ["line breaks", `{"usage":\ndata: ${JSON.stringify(usage)}}`, told],
    ["escapes in a name", `{"us\\u0061ge":${JSON.stringify(usage)}}`, told],
    ["escapes in a type", '{"typ\\u0065":"message_stop"}', { usage: null, isDone: true }],
    ["an error", '{"error" : {"message":"overloaded"}}', { usage: null, hasFailed: true }],
    ["a code as its error", '{"error":{"code":500}}', { usage: null, hasFailed: true }],
    ["its type", '{"type":"message_stop"}', { usage: null, isDone: true }],
    ["no error", '{"error":null,"usage": null,"choices":[]}', { usage: null, hasFailed: false }],
    ["a response", `{"type":"response.completed","response":{"usage":${JSON.stringify(usage)}}}`, told],
  ])("is read with %s", (_, data, expected) => {
    expect(read(`data: ${data}\n\n`, STREAM)).toMatchObject(expected);
  });
});

describe("an event whose API only its type tells", () => {
  const events = (...list: object[]) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const usage = { input_tokens: 12, output_tokens: 30 };

  test("is counted by its text", () => {
    const completion = { type: "completion", completion: "x".repeat(40), stop_reason: null };
    expect(read(events(completion), STREAM).countedOutput).toBe(41);
    const transcript = { type: "transcript.text.delta", delta: "x".repeat(40) };
    expect(read(events(transcript), STREAM).countedOutput).toBe(41);
  });

  test("cannot be counted where nobody knows it", () => {
    const other = { type: "text-delta", id: "0", part: { content: "x".repeat(40), unheardOf: "y" } };
    expect(read(events(other), STREAM)).toMatchObject({ countedOutput: 0, hasUncounted: true });
  });

  test.each([
    ["image_generation.partial_image", "image_generation.completed"],
    ["image_edit.partial_image", "image_edit.completed"],
    ["speech.audio.delta", "speech.audio.done"],
  ])("of %s cannot be counted, and its usage is that of %s", (delta, done) => {
    expect(read(events({ type: delta }), STREAM)).toMatchObject({ hasUncounted: true, isWhole: false });
    expect(read(events({ type: delta }, { type: done, usage }), STREAM)).toMatchObject({
      usage,
      isWhole: true,
      isDone: true,
    });
  });
});

test("what a picture's answer shows is a picture, also where only its usage tells", () => {
  const details = { input_tokens_details: { text_tokens: 2, image_tokens: 10 } };
  const usage = { input_tokens: 12, output_tokens: 30, ...details };
  expect(read(JSON.stringify({ usage }), "application/json").usage).toEqual({
    input_tokens: 12,
    output_tokens: 30,
    image_input_tokens: 10,
    image_output_tokens: 30,
  });
});

/** The bytes of the stand-in's first ten words, and one more for each of the events that bring them. */
const TEN_WORDS = 43;

describe("a stream that is cut", () => {
  const cutAfter = (text: string, events: number): string =>
    text.split("\n\n").slice(0, events).join("\n\n") + "\n\n";

  test("of a chat completion counts the output that was seen", () => {
    const text = spoken("/v1/chat/completions", { model, messages, stream });
    expect(read(cutAfter(text, 11), STREAM)).toMatchObject({
      usage: null,
      isWhole: false,
      countedOutput: TEN_WORDS,
    });
  });

  test("of a response counts the output that was seen", () => {
    const text = spoken("/v1/responses", { model, input, stream });
    expect(read(cutAfter(text, 14), STREAM)).toMatchObject({
      usage: null,
      isWhole: false,
      countedOutput: TEN_WORDS,
    });
  });

  test("of a message knows its input, and counts the output that was seen", () => {
    const text = spoken("/v1/messages", { model, messages, max_tokens: 99, stream });
    const { usage, isWhole, countedOutput } = read(cutAfter(text, 13), STREAM);
    expect({ isWhole, countedOutput }).toEqual({ isWhole: false, countedOutput: TEN_WORDS });
    expect(usage?.input_tokens).toBeGreaterThan(200);
  });

  const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;

  test("counts the arguments of tools, and names that are not known, but no ids", () => {
    const tool = { index: 0, id: "call_with_a_long_id", function: { name: "find", arguments: "{}" } };
    expect(read(event({ tool_calls: [tool] }), STREAM).countedOutput).toBe(7);
    expect(read(event({ unheardOf: "four" }), STREAM).countedOutput).toBe(5);
    expect(read(event({ role: "assistant" }), STREAM).countedOutput).toBe(0);
    const item = { id: "fc_1", type: "function_call", status: "in_progress", call_id: "c", name: "find" };
    const added = `data: ${JSON.stringify({ type: "response.output_item.added", item })}\n\n`;
    expect(read(added, STREAM).countedOutput).toBe(5);
    const done = added.replace("added", "done");
    expect(read(done, STREAM).countedOutput).toBe(0);
  });

  test("is never counted at less than any tokenizer would make of it, however its events pack their tokens", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 20 });
    fc.assert(
      fc.property(texts, (pieces) => {
        const { countedOutput } = read(pieces.map((text) => event({ content: text })).join(""), STREAM);
        expect(countedOutput).toBeGreaterThanOrEqual(encoder.encode(pieces.join("")).byteLength);
      }),
    );
  });

  test.each([
    ["sound", event({ audio: { id: "a", data: "AAAA" } })],
    ["an event that is no JSON", "data: AAAA\n\n"],
    ["an event that is too long", event({ content: "x".repeat(1_100_000) })],
  ])("cannot be counted with %s", (_, text) => {
    expect(read(text, STREAM).hasUncounted).toBe(true);
  });

  test.each([
    ["nothing to hear", event({ audio: null, content: "x" })],
    ["an empty event", "data:\n\n"],
    ["a mark of its end", "data: [DONE]\n\n"],
  ])("is counted with %s", (_, text) => {
    expect(read(text, STREAM).hasUncounted).toBe(false);
  });

  test("after the event that has nothing but the usage is done", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4 };
    const last = (choices: object[]) => `data: ${JSON.stringify({ choices, usage })}\n\n`;
    expect(read(last([]), STREAM)).toMatchObject({ isWhole: true, isDone: true });
    // Some hosts tell the usage so far with every piece.
    expect(read(last([{ delta: { content: "x" } }]), STREAM).isDone).toBe(false);
  });

  test("counts all of a long stream, whenever it is asked", () => {
    const word = `data: ${JSON.stringify({ choices: [{ delta: { content: "word" } }], usage: null })}\n\n`;
    const reader = answerReader(anyAnswer, STREAM);
    for (let count = 1; count <= 3000; count += 1) {
      reader.push(encoder.encode(word));
      if (count % 1700 === 0) expect(reader.reading.countedOutput).toBe(5 * count);
    }
    expect(reader.reading).toMatchObject({ usage: null, isWhole: false, countedOutput: 15_000 });
  });

  test("in the middle of its last event is not misread", () => {
    const text = spoken("/v1/messages", { model, messages, max_tokens: 99, stream });
    for (let at = 0; at < text.length; at += 7) {
      const { usage, isWhole } = read(text.slice(0, at), STREAM);
      if (isWhole) expect(usage?.output_tokens).toBe(30);
      else expect(usage?.output_tokens ?? 1).toBe(1);
    }
  });
});

describe("garbage", () => {
  test.each([
    ["no JSON", "<html>502</html>"],
    ["another type", '{"usage":"lots"}'],
    ["a text that looks like usage", '{"a":"\\"usage\\":{\\"prompt_tokens\\":1}"}'],
    ["a usage further inside", '{"data":[{"usage":{"prompt_tokens":1,"completion_tokens":1}}]}'],
    ["negative counts", '{"usage":{"prompt_tokens":-1,"completion_tokens":1}}'],
    ["fractions", '{"usage":{"prompt_tokens":1.5,"completion_tokens":1}}'],
    ["counts beyond belief", '{"usage":{"prompt_tokens":1e300,"completion_tokens":1}}'],
    ["a list", '[{"usage":{"prompt_tokens":1,"completion_tokens":1}}]'],
    ["a body that is cut", '{"usage":{"prompt_tokens":1,"completion_tokens":1'],
    ["a giant usage", `{"usage":{"prompt_tokens":1,"completion_tokens":1,"x":[${"1,".repeat(40_000)}1]}}`],
  ])("is no usage: %s", (_, text) => {
    expect(read(text, "application/json").usage).toBeNull();
    expect(read(`data: ${text.slice(0, 60_000)}}\n\n`, STREAM)).toMatchObject({
      isWhole: false,
      countedOutput: 0,
    });
  });

  test("of any kind is read to its end, without an error", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isStream) => {
        const reader = answerReader(anyAnswer, isStream ? STREAM : "application/json");
        reader.push(bytes);
        reader.push(encoder.encode('\n\n{"usage":['));
        expect(reader.reading.isWhole).toBe(false);
      }),
    );
  });

  test("an event that is too long is skipped, and the next is read", () => {
    const long = `data: {"choices":[{"delta":{"content":"${"x".repeat(1_100_000)}"}}]}\n\n`;
    const last = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n';
    expect(read(long + last, STREAM, [1000, 500_000, 1_050_000]).usage).toEqual({
      input_tokens: 3,
      output_tokens: 4,
    });
  });
});

test("a usage without parts that exceed it, so that its run is not refused", () => {
  const details = { cached_tokens: 8, audio_tokens: 9 };
  expect(openAiUsage({ prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: details })).toEqual({
    input_tokens: 10,
    output_tokens: 1,
    cache_read_tokens: 8,
    audio_input_tokens: 2,
  });
});

test("an answer of Anthropic's that was made in several steps is charged for all of them", () => {
  const iterations = [
    { type: "compaction", input_tokens: 180_000, output_tokens: 3500, cache_read_input_tokens: 10 },
    { type: "message", input_tokens: 23_000, output_tokens: 1000 },
  ];
  const usage = { input_tokens: 23_000, output_tokens: 1000 };
  expect(anthropicUsage({ ...usage, iterations })).toMatchObject({
    input_tokens: 203_010,
    output_tokens: 4500,
    cache_read_tokens: 10,
  });
  for (const none of [[], null, [null], [{ input_tokens: 5 }]])
    expect(anthropicUsage({ ...usage, iterations: none })).toMatchObject(usage);
});

test("what Anthropic's cache read and wrote is part of the input", () => {
  const usage = {
    input_tokens: 5,
    output_tokens: 7,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 60,
    cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 40 },
  };
  expect(anthropicUsage(usage)).toEqual({
    input_tokens: 165,
    output_tokens: 7,
    cache_read_tokens: 100,
    cache_write_tokens: 20,
    cache_write_1h_tokens: 40,
  });
});

test("what a host's cache wrote is part of the input", () => {
  const used = (details: object) =>
    openAiUsage({ prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: details });
  expect(used({ cached_tokens: 10, cache_write_tokens: 60 })).toMatchObject({
    cache_read_tokens: 10,
    cache_write_tokens: 60,
  });
  expect(used({ cache_creation_tokens: 60 })).toMatchObject({ cache_write_tokens: 60 });
});

test("an answer of Anthropic's that stayed in one country says so, whatever its tier", () => {
  const variant = (usage: object) => anthropicMessages.readAnswer({ usage }).variant;
  expect(variant({ service_tier: "standard", inference_geo: "us" })).toBe("us");
  expect(variant({ service_tier: "standard", inference_geo: "global" })).toBe("standard");
  expect(variant({ service_tier: "standard", inference_geo: "not_available" })).toBe("standard");
  expect(variant({ service_tier: "standard" })).toBe("standard");
});

describe("a count that is missing is not zero", () => {
  test.each<[string, (usage: object) => unknown, object, readonly string[]]>([
    [
      "OpenAI's chat",
      openAiUsage,
      { prompt_tokens: 9, completion_tokens: 4 },
      ["prompt_tokens", "completion_tokens"],
    ],
    [
      "OpenAI's responses",
      openAiUsage,
      { input_tokens: 9, output_tokens: 4 },
      ["input_tokens", "output_tokens"],
    ],
    ["Anthropic", anthropicUsage, { input_tokens: 9, output_tokens: 4 }, ["input_tokens", "output_tokens"]],
    [
      "Gemini",
      geminiUsage,
      { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 },
      ["promptTokenCount", "totalTokenCount"],
    ],
  ])("%s", (_, usageOf, whole, always) => {
    expect(usageOf(whole)).toMatchObject({ input_tokens: 9, output_tokens: 4 });
    for (const name of always) {
      const { [name]: __, ...rest } = whole as Record<string, unknown>;
      expect(usageOf(rest)).toBeNull();
    }
  });

  test("Gemini's total counts what its parts leave out", () => {
    expect(geminiUsage({ promptTokenCount: 9, totalTokenCount: 60_009 })).toMatchObject({
      output_tokens: 60_000,
    });
  });
});

test("a usage that text follows is not that of the whole answer", () => {
  const chunk = (more: object) => `data: ${JSON.stringify({ choices: [], ...more })}\n\n`;
  const usage = { prompt_tokens: 9, completion_tokens: 1 };
  const text = chunk({ choices: [{ delta: { content: "and much more" } }] });
  expect(read(chunk({ usage }) + text, STREAM)).toMatchObject({ isWhole: false });
  expect(read(chunk({ usage }) + text + chunk({ usage }), STREAM)).toMatchObject({ isWhole: true });
});

describe("a large answer", () => {
  const item = (text: string) => ({
    type: "message",
    content: [
      {
        type: "output_text",
        text,
        annotations: Array.from({ length: 50 }, () => ({ type: "url_citation", url: text })),
      },
    ],
  });
  const search = (type: string, query: string) => ({ type: "web_search_call", action: { type, query } });
  const answer = (text: string) => ({
    usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
    output: [
      search("search", text),
      item(text),
      search("open_page", text),
      search("search", text),
      item(`${text} web_search_call`),
      { type: "file_search_call", results: [{ text: { text } }] },
    ],
  });

  test("tells its searches, however long its texts are and wherever they could be cut", () => {
    const text = fc.array(
      fc.constantFrom("\\", '"', "\u0001", "é", "火", "😀", "{", "}]", ",", ":", "u", "a".repeat(61), "\n"),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (parts, ends) => {
        const sound = JSON.stringify(answer(parts.join("")));
        const escaped = sound.replaceAll(
          /[é火]/g,
          (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
        for (const json of [sound, escaped]) {
          const { units, usage } = read(json, "application/json", ends);
          expect([units, usage?.output_tokens]).toEqual([{ web_search: 2, file_search: 1 }, 7]);
        }
      }),
    );
  });

  test("of a megabyte costs no more memory than its items", () => {
    const { units } = read(JSON.stringify(answer("x".repeat(100_000))), "application/json");
    expect(units).toEqual({ web_search: 2, file_search: 1 });
  });
});
