import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/providers/json.ts";
import { readListedRequest } from "../../src/providers/listed-request.ts";
import { PROVIDERS, type ProviderName } from "../../src/providers/table.ts";

/** What a caller may send is a list for each API: whatever else it sends is refused and named. */

interface Sent {
  readonly body?: JsonObject;
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

function reading(name: ProviderName, path: string, { body = {}, query = "", headers = {} }: Sent) {
  const provider = PROVIDERS[name];
  const route = provider.route("POST", path);
  if (route.kind !== "metered") throw new Error(`${path} is not metered`);
  const context = {
    pathModel: route.pathModel,
    headers: new Headers(headers),
    query: new URLSearchParams(query),
    facts: (model: string) => provider.facts(model),
  };
  return () => readListedRequest(route.api, body, context);
}

const GENERATE = "/v1beta/models/gemini-2.5-pro:generateContent";
const STREAM = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";
const HI = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
const CHAT = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };
const CLAUDE = { ...CHAT, model: "claude-sonnet-4-5", max_tokens: 9 };
const CHATS = "/v1/chat/completions";

describe("refused and named is", () => {
  test.each<[string, ProviderName, string, Sent, string]>([
    ["a selector of fields", "gemini", GENERATE, { body: HI, query: "fields=candidates" }, "fields"],
    [
      "the same as a system parameter",
      "gemini",
      GENERATE,
      { body: HI, query: "$fields=candidates" },
      "$fields",
    ],
    ["another encoding", "gemini", GENERATE, { body: HI, query: "$alt=json;enum-encoding=int" }, "$alt"],
    ["another form of an answer", "gemini", GENERATE, { body: HI, query: "alt=proto" }, "alt"],
    ["a selector beside a stream", "gemini", STREAM, { body: HI, query: "alt=sse&fields=x" }, "fields"],
    [
      "a mask of fields",
      "gemini",
      GENERATE,
      { body: HI, headers: { "X-Goog-FieldMask": "candidates" } },
      "x-goog-fieldmask",
    ],
    [
      "a mask by the API of OpenAI",
      "gemini",
      "/v1beta/openai/chat/completions",
      { body: CHAT, headers: { "x-goog-fieldmask": "choices" } },
      "x-goog-fieldmask",
    ],
    [
      "a choice of models",
      "gemini",
      GENERATE,
      { body: { ...HI, generationConfig: { routingConfig: {} } } },
      "routingConfig",
    ],
    ["a query of OpenAI's", "openai", CHATS, { body: CHAT, query: "tier=flex" }, "tier"],
    ["a header of OpenAI's", "openai", CHATS, { body: CHAT, headers: { "openai-tier": "x" } }, "openai-tier"],
    ["a header of Azure's", "openai", CHATS, { body: CHAT, headers: { "x-ms-oai-x": "x" } }, "x-ms-oai-x"],
    ["a member that is new", "openai", CHATS, { body: { ...CHAT, moderation: {} } }, "moderation"],
    [
      "one without a value that means much",
      "openai",
      CHATS,
      { body: { ...CHAT, plugins: false } },
      "plugins",
    ],
    [
      "a member of a search",
      "openai",
      CHATS,
      { body: { ...CHAT, web_search_options: { depth: 9 } } },
      "depth",
    ],
    ["a prototype", "openai", CHATS, { body: JSON.parse('{"model":"m","__proto__":{"a":1}}') }, "__proto__"],
    [
      "another workspace",
      "anthropic",
      "/v1/messages",
      { body: { ...CLAUDE, workspace_id: "w" } },
      "workspace_id",
    ],
    [
      "a header of Anthropic's",
      "anthropic",
      "/v1/messages",
      { body: CLAUDE, headers: { "anthropic-tier": "x" } },
      "anthropic-tier",
    ],
    [
      "more pictures",
      "openai",
      "/v1/images/generations",
      { body: { model: "gpt-image-1", prompt: "x", frame_count: 9 } },
      "frame_count",
    ],
    ["a host's own", "groq", CHATS, { body: { ...CHAT, top_secret: 1 } }, "top_secret"],
  ])("%s", (_, name, path, sent, named) => {
    expect(reading(name, path, sent)).toThrow(named);
  });
});

test.each<[string, ProviderName, string, Sent]>([
  [
    "OpenAI",
    "openai",
    CHATS,
    {
      body: { ...CHAT, temperature: 0, logit_bias: null, plugins: null },
      headers: { "openai-beta": "x", "openai-organization": "o", "x-stainless-lang": "js", "x-mine": "y" },
    },
  ],
  [
    "Anthropic's beta",
    "anthropic",
    "/v1/messages",
    { body: CLAUDE, query: "beta=true", headers: { "anthropic-version": "1" } },
  ],
  [
    "Gemini's stream",
    "gemini",
    STREAM,
    { body: HI, query: "alt=sse", headers: { "x-goog-api-client": "c" } },
  ],
  [
    "Codex",
    "openai",
    "/v1/responses",
    { body: { model: "gpt-5", input: "hi", client_metadata: { window_id: "w" }, store: false } },
  ],
  ["vLLM", "vllm", CHATS, { body: { ...CHAT, top_k: 4, guided_json: {} } }],
])("what the SDKs of %s send is taken", (_, name, path, sent) => {
  expect(reading(name, path, sent)).not.toThrow();
});
