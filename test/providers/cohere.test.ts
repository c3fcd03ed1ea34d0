import { describe, expect, test } from "vitest";
import { cohere } from "../../src/providers/cohere.ts";
import type { JsonObject } from "../../src/providers/json.ts";
import { readListedRequest } from "../../src/providers/listed-request.ts";

function at(path: string) {
  const route = cohere.route("POST", path);
  if (route.kind !== "metered") throw new Error(`${path} is not metered`);
  const { api, pathModel } = route;
  return {
    api,
    read: (body: JsonObject) =>
      readListedRequest(api, body, {
        pathModel,
        query: new URLSearchParams(),
        headers: new Headers(),
        facts: (model) => cohere.facts(model),
      }),
  };
}

const CHAT = { model: "command-a-03-2025", messages: [{ role: "user", content: "Hi" }] };
const EMBED = { model: "embed-v4.0", texts: ["Hi"], input_type: "search_query" };

describe("what would be billed beside tokens, or at a rate that nobody has, is refused", () => {
  test.each<[string, JsonObject]>([
    ["/v2/chat", { ...CHAT, connectors: [{ id: "web-search" }] }],
    ["/v2/chat", { ...CHAT, tools: [{ type: "web_search" }] }],
    ["/v2/embed", { ...EMBED, images: ["data:image/png;base64,AAAA"] }],
    ...[
      {
        content: [
          { type: "text", text: "Hi" },
          { type: "image_url", image_url: { url: "data:image/png,A" } },
        ],
      },
      { content: [{ type: "text", text: "Hi", image_url: { url: "data:image/png,A" } }] },
      { content: [{ type: "text" }] },
      { content: [{ type: "image_url", text: "Hi" }] },
      { content: "Hi" },
      {},
    ].map((input): [string, JsonObject] => ["/v2/embed", { ...EMBED, inputs: [input] }]),
  ])("%s %j", (path, body) => {
    expect(() => at(path).read(body)).toThrow(expect.objectContaining({ status: 403 }));
  });

  test("and other paths are not served", () => {
    for (const path of ["/v2/rerank", "/v1/chat", "/v1/embed-jobs", "/v1/classify"])
      expect(cohere.route("POST", path).kind).toBe("unknown");
  });
});

test("documents are input, and a model that thinks hides output", () => {
  const documents = [{ data: { text: "x".repeat(900) } }];
  expect(at("/v2/chat").read({ ...CHAT, documents }).inputTokens).toBeGreaterThan(900);
  expect(at("/v2/embed").read({ ...EMBED, texts: ["x".repeat(900)] }).inputTokens).toBeGreaterThanOrEqual(
    900,
  );
  const inputs = [{ content: [{ type: "text", text: "x".repeat(900) }] }];
  expect(at("/v2/embed").read({ model: "embed-v4.0", inputs })).toMatchObject({
    inputTokens: expect.toSatisfy((tokens: number) => tokens >= 900 && tokens < 1000),
    texts: ["x".repeat(900)],
  });
  expect(at("/v2/chat").read(CHAT).hidesOutput).toBe(false);
  expect(at("/v2/chat").read({ ...CHAT, thinking: { type: "enabled" } }).hidesOutput).toBe(true);
  expect(at("/v2/chat").read({ ...CHAT, model: "command-a-reasoning-08-2025" }).hidesOutput).toBe(true);
});

test("content rules read documents, and those in the results of tools are text, even if they pose as a picture", () => {
  const text = `data:image/png;base64,${"A".repeat(100_000)}`;
  const content = [
    { type: "text", text: "found" },
    { type: "document", document: { data: { text } } },
  ];
  const messages = [...CHAT.messages, { role: "tool", tool_call_id: "t", content }];
  const read = at("/v2/chat").read({ ...CHAT, messages, documents: ["one", { data: { title: "two" } }] });
  expect(read.inputTokens).toBeGreaterThan(100_000);
  expect(read.texts).toEqual(expect.arrayContaining(["Hi", "found", "one", "two", text]));
  const picture = [{ type: "image_url", image_url: { url: text } }];
  const seen = at("/v2/chat").read({ ...CHAT, messages: [{ role: "user", content: picture }] });
  expect(seen.inputTokens).toBeLessThan(100_000);
});

test("what is billed is charged, and where that is not told, all that was read and written", () => {
  const { api } = at("/v2/chat");
  const tokens = { input_tokens: 500, output_tokens: 40 };
  const billed_units = { input_tokens: 12, output_tokens: 34 };
  expect(api.readAnswer({ usage: { billed_units, tokens } }).usage).toEqual(billed_units);
  expect(api.readAnswer({ usage: { tokens } }).usage).toEqual(tokens);
  for (const usage of [null, {}, { billed_units: {} }, { billed_units: { output_tokens: 1 } }])
    expect(api.readAnswer({ usage }).usage).toBeNull();
  const none = { search_units: 0, classifications: null };
  expect(api.readAnswer({ usage: { billed_units: { ...billed_units, ...none } } }).usage).toEqual(
    billed_units,
  );
  for (const other of [{ search_units: 1 }, { classifications: 2 }, { search_units: "1" }])
    expect(
      api.readAnswer({ usage: { billed_units: { ...billed_units, ...other }, tokens } }).usage,
    ).toBeNull();
  for (const other of [{ images: 1 }, { image_tokens: 3 }])
    expect(
      at("/v2/embed").api.readAnswer({ meta: { billed_units: { ...billed_units, ...other } } }).usage,
    ).toBeNull();
});

test("only the end of a stream tells its usage, and citations are no output", () => {
  const { readEvent } = at("/v2/chat").api;
  const usage = { billed_units: { input_tokens: 1, output_tokens: 1 } };
  expect(readEvent?.({ type: "message-end", delta: { usage } })).toMatchObject({
    usage,
    isWholeUsage: true,
    isLast: true,
  });
  expect(readEvent?.({ type: "content-delta", delta: { usage } })).toMatchObject({
    isWholeUsage: false,
    isLast: false,
  });
  expect(
    readEvent?.({ type: "citation-start", delta: { message: { citations: { text: "x" } } } }).text,
  ).toEqual([]);
  expect(readEvent?.({ type: "tool-plan-delta", delta: { message: { tool_plan: "x" } } }).text).toEqual([
    { tool_plan: "x" },
  ]);
});

test.each([
  [{ finish_reason: "COMPLETE" }, false],
  [{ finish_reason: "MAX_TOKENS", error: null }, false],
  [{ finish_reason: "ERROR" }, true],
  [{ finish_reason: "TIMEOUT" }, true],
  [{ error: "the model is gone" }, true],
])("a stream that ends with %j has failed: %s", (delta, hasFailed) => {
  expect(at("/v2/chat").api.readEvent?.({ type: "message-end", delta })).toMatchObject({ hasFailed });
});
