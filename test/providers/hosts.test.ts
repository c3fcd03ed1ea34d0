import { describe, expect, test } from "vitest";
import { findProviderRoute } from "../../src/providers/by-url.ts";
import type { JsonObject } from "../../src/providers/json.ts";
import { readListedRequest } from "../../src/providers/listed-request.ts";
import { PROVIDERS, type ProviderName } from "../../src/providers/table.ts";
import { openAiUsage } from "../../src/providers/usage/openai-usage.ts";

const chatAt = (name: ProviderName, path = "/v1/chat/completions") => {
  const provider = PROVIDERS[name];
  const found = provider.route("POST", path);
  if (found.kind !== "metered") throw new Error(`${name} does not serve ${path}`);
  const { api, pathModel } = found;
  return {
    read: (body: JsonObject) =>
      readListedRequest(
        api,
        { model: "m", ...(path.endsWith("/chat/completions") ? { messages: [] } : {}), ...body },
        {
          pathModel,
          headers: new Headers(),
          query: new URLSearchParams(),
          facts: (model) => provider.facts(model),
        },
      ),
    write: (body: JsonObject) => api.withBounds(body, { maxOutputTokens: 50 }),
    /** Where the bound is the caller's own. */
    keep: (body: JsonObject) => api.withBounds(body, { maxOutputTokens: null }),
  };
};

describe("a host that bills something beside tokens is refused what makes it do so", () => {
  test.each<[ProviderName, string, JsonObject]>([
    ["together", "/v1/chat/completions", { safety_model: "meta-llama/Llama-Guard-4-12B" }],
    ["together", "/v1/completions", { safety_model: "meta-llama/Llama-Guard-4-12B" }],
    ["mistral", "/v1/chat/completions", { guardrails: [{ moderation_llm_v2: {} }] }],
    ["groq", "/v1/chat/completions", { model: "groq/compound-mini" }],
    ["groq", "/v1/chat/completions", { model: "compound-beta" }],
    ["groq", "/v1/chat/completions", { tools: [{ type: "browser_search" }] }],
    ["xai", "/v1/chat/completions", { search_parameters: { mode: "auto" } }],
    ["xai", "/v1/chat/completions", { deferred: true }],
    ["openrouter", "/v1/chat/completions", { model: "openai/gpt-4o:online" }],
    ["openrouter", "/v1/chat/completions", { model: "anthropic/claude-sonnet-4.5:online:floor" }],
    ["openrouter", "/v1/chat/completions", { model: "anthropic/claude-sonnet-4.5@preset/mine" }],
    ["openrouter", "/v1/chat/completions", { model: "openrouter/auto" }],
    ["openrouter", "/v1/completions", { model: "openai/gpt-4o:online", prompt: "x" }],
    ["openrouter", "/v1/completions", { models: ["openai/o1-pro"], prompt: "x" }],
    ["openrouter", "/v1/completions", { provider: { sort: "throughput" }, prompt: "x" }],
    ["openrouter", "/v1/completions", { plugins: [{ id: "web" }], prompt: "x" }],
    ["openrouter", "/v1/completions", { max_completion_tokens: 9000, max_tokens: 1, prompt: "x" }],
    ["openrouter", "/v1/completions", { web_search_options: {}, prompt: "x" }],
    ["openrouter", "/v1/embeddings", { provider: { sort: "throughput" }, input: "x" }],
    ["openrouter", "/v1/chat/completions", { plugins: [{ id: "web" }] }],
    ["openrouter", "/v1/chat/completions", { provider: { sort: "throughput" } }],
    ["perplexity", "/chat/completions", { model: "sonar-deep-research" }],
    ["perplexity", "/chat/completions", { model: "sonar-pro", web_search_options: { search_type: "pro" } }],
    ["azure", "/openai/deployments/mine/chat/completions", { model: "mine", data_sources: [{}] }],
  ])("%s %s %j", (name, path, body) => {
    expect(() => chatAt(name, path).read(body)).toThrow(expect.objectContaining({ status: 403 }));
  });
});

test("a bound has the name that the host knows, and a host that always tells the usage is not asked for it", () => {
  const stream = { stream: true };
  expect(chatAt("groq").write(stream)).toEqual({
    stream: true,
    max_completion_tokens: 50,
    stream_options: { include_usage: true },
  });
  expect(chatAt("together").write(stream)).toMatchObject({ max_tokens: 50, stream_options: {} });
  expect(chatAt("mistral").write(stream)).toEqual({ stream: true, max_tokens: 50 });
  expect(chatAt("mistral").read(stream).showsUsageEvent).toBe(true);
  expect(chatAt("groq").read(stream).showsUsageEvent).toBe(false);
});

test("a bound of the caller's goes on under the name that the host knows: another would be ignored", () => {
  const written = (name: ProviderName, body: JsonObject, path?: string) => chatAt(name, path).keep(body);
  for (const name of ["deepseek", "together", "mistral", "ollama", "openrouter"] as const)
    expect(written(name, { max_completion_tokens: 1 })).toEqual({ max_tokens: 1 });
  expect(written("perplexity", { max_completion_tokens: 1 }, "/chat/completions")).toEqual({ max_tokens: 1 });
  for (const name of ["groq", "xai", "cerebras"] as const)
    expect(written(name, { max_tokens: 1 })).toEqual({ max_completion_tokens: 1 });
  expect(written("deepseek", { max_completion_tokens: 9, max_tokens: 5 })).toEqual({ max_tokens: 9 });
  expect(written("deepseek", { temperature: 0 })).toEqual({ temperature: 0 });
  const oss = { model: "openai/gpt-oss-120b", max_completion_tokens: 1 };
  expect(written("together", oss)).toEqual({ model: "openai/gpt-oss-120b", max_tokens: 1 });
  const theirs = { model: "openai/gpt-5", max_completion_tokens: 1 };
  expect(written("openrouter", theirs)).toEqual(theirs);
  expect(written("openai", { max_tokens: 1 })).toEqual({ max_tokens: 1, service_tier: "default" });
  const deployment = "/openai/deployments/mine/chat/completions";
  expect(written("azure", { max_tokens: 1 }, deployment)).toEqual({ max_tokens: 1 });
});

test("a document of Mistral's that stands elsewhere is input that the body does not show", () => {
  const content = [{ type: "document_url", document_url: "https://x.test/a.pdf" }];
  const { read } = chatAt("mistral");
  expect(read({ messages: [{ role: "user", content }] }).unseenInput).toBe("document_url");
});

test("a search is a unit of its own, but where the price of each request has it", () => {
  const searched = { web_search_options: { search_context_size: "high" } };
  expect(chatAt("perplexity", "/chat/completions").read(searched).units).toEqual({});
  expect(chatAt("openai").read(searched).units).toEqual({ web_search: 3 });
});

test("tokens that only the total has are output: some hosts leave out what a model thought", () => {
  const usage = (total_tokens: number) => ({
    prompt_tokens: 32,
    completion_tokens: 9,
    total_tokens,
    completion_tokens_details: { reasoning_tokens: 94 },
  });
  expect(openAiUsage(usage(135))).toEqual({ input_tokens: 32, output_tokens: 103, reasoning_tokens: 94 });
  expect(openAiUsage(usage(41))).toMatchObject({ input_tokens: 32, output_tokens: 9 });
});

test.each([
  ["https://api.groq.com/openai/v1/chat/completions", "groq"],
  ["https://api.mistral.ai/v1/chat/completions", "mistral"],
  ["https://api.x.ai/v1/chat/completions", "x-ai"],
  ["https://openrouter.ai/api/v1/chat/completions", "openrouter"],
  ["https://api.perplexity.ai/chat/completions", "perplexity"],
  ["https://mine.openai.azure.com/openai/deployments/gpt/chat/completions", "azure"],
  ["https://mine.services.ai.azure.com/openai/v1/responses", "azure"],
  ["https://evil.example/openai.azure.com/v1/chat/completions", "openai"],
])("%s has the prices of %s", (url, prices) => {
  const { provider, route } = findProviderRoute("POST", new URL(url), undefined);
  expect([provider.prices, route.kind]).toEqual([prices, "metered"]);
});

describe("sound and films", () => {
  const part = (content: object) => ({ messages: [{ role: "user", content: [content] }] });
  const BODIES: readonly JsonObject[] = [
    { modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } },
    { modalities: ["image", "text"] },
    { modalities: "audio" },
    { audio: { voice: "alloy" } },
    part({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }),
    part({ input_audio: { data: "AAAA", format: "wav" } }),
    part({ type: "audio_url", audio_url: { url: "https://x.test/a.wav" } }),
    part({ type: "video_url", video_url: { url: "https://x.test/a.mp4" } }),
  ];

  test.each(["groq", "openrouter", "mistral", "together"] as const)("are refused at %s", (name) => {
    for (const body of BODIES) expect(() => chatAt(name).read(body)).toThrow(/sound and films/);
    const plain = { modalities: ["text"], audio: null, tools: [{ type: "function", audio_url: "x" }] };
    expect(() => chatAt(name).read(plain)).not.toThrow();
  });

  test("are metered at OpenAI, and a stream that is left costs what was reserved for it", () => {
    const read = (body: JsonObject) => chatAt("openai").read({ model: "gpt-4o-audio-preview", ...body });
    for (const body of BODIES.slice(0, 4)) expect(read(body).hidesOutput).toBe(true);
    expect(read(BODIES[4] ?? {})).toMatchObject({ hasCostlyInput: true, hidesOutput: false });
    expect(read(BODIES[6] ?? {}).unseenInput).toBe("url");
  });
});

describe("what would be billed beside the answer is refused", () => {
  const MESSAGES = "/v1/messages";
  const compaction = { type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } };
  test.each<[ProviderName, string, number, JsonObject]>([
    ["anthropic", MESSAGES, 403, { context_management: { edits: [compaction] } }],
    [
      "anthropic",
      MESSAGES,
      403,
      { context_management: { edits: [{ type: "clear_thinking_20251015" }, compaction] } },
    ],
    ["anthropic", MESSAGES, 403, { context_management: { edits: compaction } }],
    ["anthropic", MESSAGES, 403, { context_management: [compaction] }],
    ["anthropic", MESSAGES, 403, { fallbacks: [{ model: "claude-opus-4-1" }] }],
    ["anthropic", MESSAGES, 400, { tools: [{ type: "web_search_20250305", Max_Uses: 900 }] }],
    ["anthropic", MESSAGES, 400, { tools: { type: "web_search_20250305" } }],
    ["openai", "/v1/responses", 403, { context_management: [{ type: "compaction" }] }],
    ["openai", "/v1/responses", 400, { tools: { type: "web_search" } }],
    ["openai", "/v1/responses", 400, { tools: [{ type: "function", Type: "web_search" }] }],
    [
      "openai",
      "/v1/responses",
      400,
      { tools: [{ type: "code_interpreter", container: { type: "auto", Memory_Limit: "64g" } }] },
    ],
    ["openai", "/v1/chat/completions", 400, { tools: { type: "web_search" } }],
    ["openai", "/v1/chat/completions", 400, { tools: [{ type: "function", TYPE: "web_search" }] }],
    ["openai", "/v1/chat/completions", 400, { stream: true, stream_options: { Include_Usage: false } }],
  ])("%s %s %i %j", (name, path, status, body) => {
    expect(() => chatAt(name, path).read(body)).toThrow(expect.objectContaining({ status }));
  });

  test("and what only leaves something out is not", () => {
    const edits = [{ type: "clear_tool_uses_20250919" }, { type: "clear_thinking_20251015" }];
    for (const context_management of [{ edits }, { edits: [] }, null])
      expect(() => chatAt("anthropic", MESSAGES).read({ context_management })).not.toThrow();
    const search = chatAt("openai").read({ model: "gpt-4o-mini", web_search_options: true });
    expect(search.units).toEqual({ web_search: 1 });
  });
});

test.each<[ProviderName, string]>([
  ["anthropic", "/v1/messages"],
  ["openai", "/v1/responses"],
  ["openai", "/v1/chat/completions"],
])("%s %s knows input that may cost more than text", (name, path) => {
  const { read } = chatAt(name, path);
  const cached = [
    { role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] },
  ];
  const member = path.endsWith("/responses") ? "input" : "messages";
  expect(read({ [member]: cached }).hasCostlyInput).toBe(true);
  expect(read({}).hasCostlyInput).toBe(false);
});
