import { describe, expect, test } from "vitest";
import { findProviderRoute } from "../../src/providers/by-url.ts";
import { gemini } from "../../src/providers/gemini.ts";
import type { JsonObject } from "../../src/providers/json.ts";
import { readListedRequest } from "../../src/providers/listed-request.ts";
import { answerReader } from "../../src/providers/usage/reading.ts";

const HI = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };

function apiOf(action: string) {
  const route = gemini.route("POST", `/v1beta/models/gemini-2.5-flash:${action}`);
  if (route.kind !== "metered") throw new Error(`${action} is ${route.kind}`);
  const { api, pathModel } = route;
  const context = {
    pathModel,
    headers: new Headers(),
    query: new URLSearchParams(action.startsWith("stream") ? "alt=sse" : ""),
    facts: (model: string) => gemini.facts(model),
  };
  return {
    api,
    read: (body: JsonObject, more = {}) => readListedRequest(api, body, { ...context, ...more }),
  };
}

const generate = apiOf("generateContent");

test("a request names its model in the path, and its bound and candidates in its configuration", () => {
  const generationConfig = { maxOutputTokens: 100, candidateCount: 3 };
  expect(generate.read({ ...HI, generationConfig })).toMatchObject({
    model: "gemini-2.5-flash",
    isStream: false,
    unseenInput: null,
    hidesOutput: true,
    outputBound: { perAnswer: 100, answers: 3 },
    texts: expect.arrayContaining(["hi"]),
  });
  expect(generate.api.withBounds({ ...HI, generationConfig: { topK: 1 } }, { maxOutputTokens: 9 })).toEqual({
    ...HI,
    generationConfig: { topK: 1, maxOutputTokens: 9 },
  });
});

describe("what a body does not show", () => {
  const parts = (part: object) => ({ contents: [{ parts: [part] }] });
  test.each<[string, JsonObject]>([
    ["a file by its address", parts({ fileData: { fileUri: "https://files.test/1" } })],
    ["the same in the other spelling", parts({ file_data: { file_uri: "https://files.test/1" } })],
    ["sound", parts({ inlineData: { mimeType: "audio/mp3", data: "AAAA" } })],
    ["a document", parts({ inline_data: { mime_type: "application/pdf", data: "AAAA" } })],
    [
      "a film in a tool's answer",
      parts({ functionResponse: { parts: [{ inlineData: { mimeType: "video/mp4", data: "A" } }] } }),
    ],
    ["a cache", { ...HI, cachedContent: "cachedContents/1" }],
  ])("%s is taken for the largest", (_, body) => {
    expect(generate.read(body).unseenInput).not.toBeNull();
  });

  test("a picture has its tokens", () => {
    const { unseenInput, inputTokens } = generate.read(
      parts({ inlineData: { mimeType: "image/png", data: "AA" } }),
    );
    expect([unseenInput, inputTokens > 8000]).toEqual([null, true]);
  });
});

test("the schema of an answer is input", () => {
  const responseSchema = { type: "OBJECT", description: "x".repeat(50_000) };
  expect(generate.read({ ...HI, generationConfig: { responseSchema } }).inputTokens).toBeGreaterThan(50_000);
});

test("what a function returned is text, also in the form of a picture", () => {
  const response = { inlineData: { mimeType: "image/png", data: "x".repeat(50_000) } };
  const contents = [{ parts: [{ functionResponse: { name: "f", response } }] }];
  expect(generate.read({ contents }).inputTokens).toBeGreaterThan(50_000);
});

describe("what cannot be metered is refused", () => {
  test.each<[number, JsonObject]>([
    [403, { ...HI, tools: [{ googleSearch: {} }] }],
    [403, { ...HI, tools: [{ functionDeclarations: [], codeExecution: {} }] }],
    [403, { ...HI, tools: { urlContext: {} } }],
    [403, { ...HI, serviceTier: "priority" }],
    [403, { ...HI, generationConfig: { serviceTier: "priority" } }],
    [400, { ...HI, generation_config: { max_output_tokens: 1 } }],
    [400, { ...HI, generationConfig: { max_output_tokens: 1 } }],
    [400, { ...HI, generationConfig: { maxOutputTokens: "5" } }],
    [400, { ...HI, generationConfig: { candidateCount: 0 } }],
    [400, { ...HI, model: "gemini-2.5-pro" }],
  ])("%d %j", (status, body) => {
    expect(() => generate.read(body)).toThrow(expect.objectContaining({ status }));
  });

  test("a stream that is no stream of events", () => {
    const { read } = apiOf("streamGenerateContent");
    expect(read(HI).isStream).toBe(true);
    expect(() => read(HI, { headers: new Headers(), query: new URLSearchParams() })).toThrow("alt=sse");
  });

  test.each(["tunedModels/x:generateContent", "cachedContents", "files", "models/x:batchGenerateContent"])(
    "%s",
    (path) => {
      expect(gemini.route("POST", `/v1beta/${path}`).kind).toBe("unknown");
    },
  );
});

const usage = {
  promptTokenCount: 20,
  cachedContentTokenCount: 5,
  candidatesTokenCount: 7,
  thoughtsTokenCount: 30,
  toolUsePromptTokenCount: 3,
  totalTokenCount: 60,
};

test("thoughts are output, and what tools brought is input", () => {
  const reader = answerReader(generate.api, "application/json");
  reader.push(new TextEncoder().encode(JSON.stringify({ candidates: [], usageMetadata: usage })));
  expect(reader.reading).toMatchObject({
    isWhole: true,
    usage: { input_tokens: 23, output_tokens: 37, cache_read_tokens: 5, reasoning_tokens: 30 },
  });
});

test("a stream has the usage of the whole answer once a candidate has finished", () => {
  const reader = answerReader(apiOf("streamGenerateContent").api, "text/event-stream");
  const push = (event: object) =>
    reader.push(new TextEncoder().encode(`data: ${JSON.stringify(event)}\r\n\r\n`));
  const content = { parts: [{ text: "hello" }] };
  push({ candidates: [{ content }], usageMetadata: { promptTokenCount: 20, totalTokenCount: 20 } });
  expect(reader.reading).toMatchObject({ isWhole: false, usage: { input_tokens: 20, output_tokens: 0 } });
  expect(reader.reading.countedOutput).toBeGreaterThan(0);
  push({ candidates: [{ content, finishReason: "STOP" }], usageMetadata: usage });
  expect(reader.reading).toMatchObject({ isWhole: true, usage: { output_tokens: 37 } });
});

test("its address is known, and the path that is compatible with OpenAI", () => {
  const at = (path: string) =>
    findProviderRoute("POST", new URL(`https://generativelanguage.googleapis.com${path}`), undefined);
  expect(at("/v1beta/models/gemini-2.5-flash:generateContent")).toMatchObject({
    provider: { prices: "google" },
    route: { kind: "metered", pathModel: "gemini-2.5-flash" },
  });
  expect(at("/v1beta/openai/chat/completions").route).toMatchObject({
    kind: "metered",
    api: { name: "chat" },
  });
});
