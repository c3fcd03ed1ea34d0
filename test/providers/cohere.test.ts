import { describe, expect, test } from "vitest";
import { cohere } from "../../src/providers/cohere.ts";
import type { JsonObject } from "../../src/providers/json.ts";

function at(path: string) {
  const route = cohere.route("POST", path);
  if (route.kind !== "metered") throw new Error(`${path} is not metered`);
  const { api, pathModel } = route;
  return {
    api,
    read: (body: JsonObject) =>
      api.readRequest(body, {
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
    ["/v2/embed", { ...EMBED, inputs: [{ content: [{ type: "image_url" }] }] }],
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
  expect(at("/v2/chat").read(CHAT).hidesOutput).toBe(false);
  expect(at("/v2/chat").read({ ...CHAT, thinking: { type: "enabled" } }).hidesOutput).toBe(true);
  expect(at("/v2/chat").read({ ...CHAT, model: "command-a-reasoning-08-2025" }).hidesOutput).toBe(true);
});

test("what is billed is charged, and where that is not told, all that was read and written", () => {
  const { api } = at("/v2/chat");
  const tokens = { input_tokens: 500, output_tokens: 40 };
  const billed_units = { input_tokens: 12, output_tokens: 34 };
  expect(api.readAnswer({ usage: { billed_units, tokens } }).usage).toEqual(billed_units);
  expect(api.readAnswer({ usage: { tokens } }).usage).toEqual(tokens);
  for (const usage of [null, {}, { billed_units: {} }, { billed_units: { output_tokens: 1 } }])
    expect(api.readAnswer({ usage }).usage).toBeNull();
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
