import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/providers/json.ts";
import { readListedRequest } from "../../src/providers/listed-request.ts";
import { pictureTokensOf } from "../../src/providers/apis/openai-images.ts";
import { seenInput } from "../../src/providers/body/input-bound.ts";
import type { MeteredRequest } from "../../src/providers/provider-api.ts";
import { PROVIDERS, type ProviderName } from "../../src/providers/table.ts";
import { flacOf, m4aOf, oggOf, OPUS_120_MS, wavOf } from "../support/recordings.ts";

/** What each API reads in a request, and writes into it. */

function apiAt(name: ProviderName, path: string) {
  const provider = PROVIDERS[name];
  const route = provider.route("POST", path);
  if (route.kind !== "metered") throw new Error(`${path} is not metered`);
  const context = {
    pathModel: route.pathModel,
    headers: new Headers(),
    query: new URLSearchParams(),
    facts: (model: string) => provider.facts(model),
  };
  return {
    read: (body: JsonObject): MeteredRequest => readListedRequest(route.api, body, context),
    written: (body: JsonObject) => route.api.withBounds(body, { maxOutputTokens: null }),
  };
}

const chat = apiAt("openai", "/v1/chat/completions");
const completions = apiAt("openai", "/v1/completions");
const engine = apiAt("openai", "/v1/engines/davinci-002/completions");
const responses = apiAt("openai", "/v1/responses");
const images = apiAt("openai", "/v1/images/generations");
const transcriptions = apiAt("openai", "/v1/audio/transcriptions");
const messages = apiAt("anthropic", "/v1/messages");

const MINI = { model: "gpt-4o-mini", messages: [] };
const CLAUDE = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [] };
const TEXT = { model: "gpt-3.5-turbo-instruct", prompt: "hi" };

describe("what multiplies a bound is read", () => {
  test.each([
    ["n of chat", chat.read({ ...MINI, n: 3 }).outputBound?.answers, 3],
    ["n of completions", completions.read({ ...TEXT, n: 3 }).outputBound?.answers, 3],
    ["best_of", completions.read({ ...TEXT, n: 3, best_of: 7 }).outputBound?.answers, 7],
    ["prompts", completions.read({ ...TEXT, prompt: ["a", "b"], n: 3 }).outputBound?.answers, 6],
    ["one prompt of token ids", completions.read({ ...TEXT, prompt: [1, 2, 3] }).outputBound?.answers, 1],
    ["pictures", images.read({ model: "gpt-image-1", prompt: "x", n: 4 }).fixedOutputTokens, 4 * 8192],
    [
      "large pictures",
      images.read({ model: "gpt-image-2", prompt: "x", n: 2 }).fixedOutputTokens,
      2 * 32_768,
    ],
    ["pictures of any other model", images.read({ model: "image-3", prompt: "x" }).fixedOutputTokens, 32_768],
    [
      "pictures of the first models",
      images.read({ model: "gpt-image-1.5", prompt: "x" }).fixedOutputTokens,
      8192,
    ],
    [
      "pictures by the piece",
      images.read({ model: "dall-e-2", prompt: "x", n: 4 }).units,
      { image_generation: 4 },
    ],
  ])("%s", (_, read, expected) => {
    expect(read).toEqual(expected);
  });

  test("and so is output that no bound holds", () => {
    const prediction = { type: "content", content: "x".repeat(500) };
    expect(chat.read({ ...MINI, prediction }).fixedOutputTokens).toBeGreaterThanOrEqual(500);
    const echoed = completions.read({ ...TEXT, prompt: "x".repeat(500), echo: true });
    expect(echoed.fixedOutputTokens).toBeGreaterThanOrEqual(500);
  });
});

test("the highest of two bounds counts", () => {
  const both = { ...MINI, max_tokens: 5, max_completion_tokens: 900 };
  expect(chat.read(both).outputBound?.perAnswer).toBe(900);
});

describe("output may be hidden", () => {
  test.each([
    ["of a model that reasons", chat.read({ ...MINI, model: "gpt-5-mini" }), true],
    ["of a model that nobody knows", chat.read({ ...MINI, model: "new-model" }), true],
    ["where chat asks for it", chat.read({ ...MINI, reasoning_effort: "low" }), true],
    ["and not of any other chat", chat.read(MINI), false],
    ["of responses of a model that reasons", responses.read({ model: "o3", input: "hi" }), true],
    ["where a response asks for it", responses.read({ model: "gpt-4o", input: "hi", reasoning: {} }), true],
    ["where a message asks for it", messages.read({ ...CLAUDE, thinking: { type: "enabled" } }), true],
    ["and not where it asks for none", messages.read({ ...CLAUDE, thinking: { type: "disabled" } }), false],
    ["of pictures", images.read({ model: "gpt-image-1", prompt: "x" }), true],
  ])("%s", (_, { hidesOutput }, expected) => {
    expect(hidesOutput).toBe(expected);
  });
});

describe("hosted tools", () => {
  const search = { type: "web_search_20250305", name: "web_search" };
  const fetched = { type: "web_fetch_20250910", name: "web_fetch" };

  test("bring input that the body does not show, and units", () => {
    expect(messages.read({ ...CLAUDE, tools: [search] })).toMatchObject({
      unseenInput: search.type,
      units: { web_search: 3 },
    });
    expect(messages.read({ ...CLAUDE, tools: [fetched] })).toMatchObject({
      unseenInput: fetched.type,
      units: {},
    });
    expect(responses.read({ model: "gpt-4o", input: "hi", tools: [{ type: "web_search" }] })).toMatchObject({
      unseenInput: "web_search",
      units: { web_search: 3 },
    });
    expect(chat.read({ ...MINI, n: 2, web_search_options: {} })).toMatchObject({
      unseenInput: "web_search_options",
      units: { web_search: 2 },
    });
    expect(chat.read({ ...MINI, model: "gpt-4o-mini-search-preview" }).unseenInput).not.toBeNull();
  });

  test("get a bound, which is the caller's own if it has one", () => {
    const withTool = (tool: object) => messages.written({ ...CLAUDE, tools: [tool] })["tools"];
    expect(withTool(search)).toEqual([{ ...search, max_uses: 3 }]);
    expect(withTool({ ...search, max_uses: 3 })).toEqual([{ ...search, max_uses: 3 }]);
    const asked = { model: "gpt-4o", input: "hi", tools: [{ type: "web_search" }] };
    expect(responses.written(asked)).toMatchObject({ max_tool_calls: 3 });
    expect(responses.written({ ...asked, max_tool_calls: 2 })).toMatchObject({ max_tool_calls: 2 });
    expect(responses.written({ model: "gpt-4o", input: "hi" })).not.toHaveProperty("max_tool_calls");
  });

  test.each([
    ["of chat", () => chat.read({ ...MINI, tools: [{ type: "browser_search" }] })],
    [
      "of responses",
      () => responses.read({ model: "gpt-4o", input: "hi", tools: [{ type: "image_generation" }] }),
    ],
    ["of messages", () => messages.read({ ...CLAUDE, tools: [{ type: "code_execution_20250825" }] })],
  ])("that nobody prices are refused: %s", (_, read) => {
    expect(read).toThrow(/metered/);
  });

  test("and tools that the caller runs pass", () => {
    const tools = [
      { name: "find", input_schema: {} },
      { type: "bash_20250124", name: "bash" },
    ];
    expect(messages.read({ ...CLAUDE, tools })).toMatchObject({ unseenInput: null, units: {} });
  });

  describe("of responses, in namespaces and in items of the input", () => {
    const bodyOf = (tools: readonly object[], item: JsonObject = {}, more: JsonObject = {}) => ({
      model: "gpt-4o",
      input: [{ role: "user", content: "hi" }, item],
      tools,
      ...more,
    });
    const asking = (...given: Parameters<typeof bodyOf>) => responses.read(bodyOf(...given));
    const namespace = (...tools: readonly object[]) => ({ type: "namespace", name: "agents", tools });
    const added = (...tools: readonly object[]) => ({ type: "additional_tools", role: "developer", tools });
    const find = { type: "function", name: "find", parameters: {} };
    const webSearch = { type: "web_search" };

    test("pass if the caller runs them", () => {
      const tools = [
        namespace(find, { type: "custom", name: "patch" }),
        { type: "tool_search", execution: "client" },
      ];
      expect(asking(tools)).toMatchObject({ unseenInput: null, units: {} });
      expect(asking([find], added(find, namespace(find)))).toMatchObject({ unseenInput: null, units: {} });
      const listed = { type: "mcp_list_tools", server_label: "docs", tools: [{ name: "search" }] };
      expect(asking([find], listed)).toMatchObject({ units: {} });
    });

    test("are bounded and priced if the provider runs them, where nothing is stored", () => {
      const more = { store: false };
      const machine = { type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } };
      expect(asking([find], added(webSearch, machine), more)).toMatchObject({
        unseenInput: "container",
        units: { web_search: 3, code_interpreter_session_4g: 1 },
        startedUnits: { code_interpreter_session_4g: 1 },
      });
      const body = bodyOf([find], added(webSearch), more);
      expect(responses.written(body)).toMatchObject({ max_tool_calls: 3 });
    });

    test.each([
      ["a hosted tool in a namespace", () => asking([namespace(find, webSearch)])],
      ["a namespace in a namespace", () => asking([namespace(namespace(webSearch))])],
      ["a search for tools by the provider", () => asking([{ type: "tool_search" }])],
      ["a hosted tool that an item adds to what is stored", () => asking([find], added(webSearch))],
      [
        "a hosted tool that an item adds to a conversation",
        () => asking([], added(webSearch), { store: false, conversation: "conv_1" }),
      ],
      [
        "a tool without a price that an item adds",
        () => asking([], added({ type: "image_generation" }), { store: false }),
      ],
      [
        "a hosted tool that a search has loaded",
        () => asking([], { type: "tool_search_output", tools: [webSearch] }),
      ],
      [
        "a hosted tool in a namespace that an item adds",
        () => asking([], added(namespace(webSearch)), { store: false }),
      ],
      ["another spelling in an item", () => asking([], { type: "additional_tools", Tools: [webSearch] })],
      [
        "another spelling in a tool",
        () => asking([{ type: "tool_search", execution: "client", Execution: "server" }]),
      ],
    ])("are refused: %s", (_, read) => {
      expect(read).toThrow(/metered|Send it in|Write it as/);
    });
  });
});

test("members by which a host would choose another model or do more work are refused", () => {
  for (const name of ["models", "plugins", "route"])
    expect(() => chat.read({ ...MINI, [name]: ["x"] })).toThrow(name);
});

test.each([
  ["a bound of nothing", { max_tokens: 0 }],
  ["a bound in quotes", { max_tokens: "5" }],
  ["half an answer", { n: 0.5 }],
  ["a stream in quotes", { stream: "true" }],
  ["a tier that is none", { service_tier: { a: 1 } }],
  ["a price that is no tier", { service_tier: "batch" }],
])("%s is refused", (_, more) => {
  expect(() => chat.read({ ...MINI, ...more })).toThrow(/must be|is not a tier/);
});

test("a cache of an hour has no price but Anthropic's", () => {
  const system = [{ type: "text", text: "x", cache_control: { type: "ephemeral", ttl: "1h" } }];
  expect(messages.read({ ...CLAUDE, system }).hasCostlyInput).toBe(true);
  expect(() => chat.read({ ...MINI, messages: [{ role: "system", content: system }] })).toThrow(/no price/);
});

test("the usage of a stream is asked for, also where the caller asks for none", () => {
  const stream_options = { include_usage: false, include_obfuscation: false };
  expect(chat.written({ ...MINI, stream: true, stream_options })["stream_options"]).toEqual({
    include_usage: true,
    include_obfuscation: false,
  });
  expect(completions.written({ ...TEXT, stream: true })).toMatchObject({
    stream_options: { include_usage: true },
  });
  expect(chat.written(MINI)).not.toHaveProperty("stream_options");
});

test("only POST makes a metered call", () => {
  expect(PROVIDERS.openai.route("GET", "/v1/chat/completions")).toEqual({ kind: "unknown" });
});

test("the path and the body name one model", () => {
  expect(engine.read({ prompt: "hi" }).model).toBe("davinci-002");
  expect(engine.read({ prompt: "hi", model: "davinci-002" }).model).toBe("davinci-002");
  expect(() => engine.read({ prompt: "hi", model: "gpt-4o" })).toThrow(/another model/);
});

test("a path that returns credentials is never served, by whichever provider and in whichever case", () => {
  for (const provider of Object.values(PROVIDERS))
    for (const path of [
      "/v1/realtime/client_secrets",
      "/v1/Organization/x",
      "/organizations/me",
      "/v1/usage",
    ])
      expect(provider.route("GET", path)).toEqual({ kind: "never" });
});

test("a picture in a form is a picture, whatever its bytes are", () => {
  const edits = apiAt("openai", "/v1/images/edits");
  const sizes = [0, 100_000].map((size) => new Uint8Array(size).fill(65));
  const tokens = sizes.map((image) => edits.read({ model: "gpt-image-1", prompt: "x", image }).inputTokens);
  expect(tokens[1]).toBe(tokens[0]);
  expect(tokens[0]).toBeGreaterThan(edits.read({ model: "gpt-image-1", prompt: "x" }).inputTokens);
});

test("each picture of a form counts, under one name or several", () => {
  const edits = apiAt("openai", "/v1/images/edits");
  const picture = new Uint8Array(9);
  const tokensOf = (body: JsonObject) =>
    edits.read({ model: "gpt-image-1", prompt: "x", ...body }).inputTokens;
  const each = pictureTokensOf("gpt-image-1");
  const seen = (body: JsonObject) =>
    tokensOf(body) - seenInput({ model: "gpt-image-1", prompt: "x", ...body }, each).tokens;
  expect(seen({ image: picture })).toBe(each);
  expect(seen({ "image[]": [picture, picture], mask: picture })).toBe(3 * each);
});

describe("the form of a transcription", () => {
  const file = wavOf({ seconds: 1 });
  const form = { model: "gpt-4o-transcribe", file };

  test("has all fields that OpenAI's SDK sends", () => {
    const fields = { type: "server_vad", threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 200 };
    const chunking = Object.entries(fields).map(([name, value]) => [`chunking_strategy[${name}]`, value]);
    expect(
      transcriptions.read({ ...form, ...Object.fromEntries(chunking), "languages[]": ["en", "de"] }),
    ).toEqual(transcriptions.read(form));
    expect(() => transcriptions.read({ ...form, "known_speaker_references[]": "data:" })).toThrow(
      /not metered/,
    );
  });

  test("has text for the model in keywords and names, which count as the prompt does", () => {
    const { texts, inputTokens } = transcriptions.read({
      ...form,
      prompt: 123,
      "keywords[]": ["Sluice", "Bremen"],
      "known_speaker_names[]": "Ada",
    });
    expect(texts).toEqual(["123", "Sluice", "Bremen", "Ada"]);
    expect(inputTokens).toBe(10 + "123 Sluice Bremen Ada".length);
    expect(() => transcriptions.read({ ...form, prompt: new Uint8Array(9) })).toThrow(/as text/);
    expect(() => transcriptions.read({ ...form, "keywords[]": ["a", new Uint8Array(9)] })).toThrow(/as text/);
  });

  test.each(["text", "srt", "vtt", "TEXT", 1])("asks of M4A no answer without a length: %s", (format) => {
    const m4a = m4aOf({ samples: 100 });
    const asking = (response_format: unknown) => () =>
      transcriptions.read({ model: "whisper-1", file: m4a, response_format });
    expect(asking(format)).toThrow(/Set "response_format" to "json"/);
    for (const told of [undefined, "json", "verbose_json", "diarized_json"])
      expect(asking(told)().units).toEqual({ audio_second: 7 });
    expect(transcriptions.read({ ...form, response_format: format }).inputTokens).toBe(10);
  });
});

describe("a recording is reserved by the length of its frames", () => {
  const minute = wavOf({ seconds: 60, rate: 16_000, bits: 16 });
  const quiet = oggOf(Array.from({ length: 30_000 }, () => OPUS_120_MS));

  test.each([
    ["a minute of WAV, of 2 MB", minute, 60],
    ["an hour of silence in 100 kB of Opus", quiet, 3600],
    ["23 hours of silence in 200 kB of FLAC", flacOf(10_000), 81_919],
  ])("%s", (_, file, seconds) => {
    expect(transcriptions.read({ model: "whisper-1", file }).units).toEqual({ audio_second: seconds });
    expect(transcriptions.read({ model: "gpt-4o-transcribe", file }).inputTokens).toBe(seconds * 10);
  });

  test("and refused where they cannot be counted", () => {
    const file = new Uint8Array(1_000_000);
    expect(() => transcriptions.read({ model: "whisper-1", file })).toThrow(
      /length of this recording cannot be read/,
    );
    expect(() => transcriptions.read({ model: "whisper-1", file: "x" })).toThrow(/as "file"/);
  });
});
