import { waitForUpdate } from "@pydantic/genai-prices";
import { describe, expect, test } from "vitest";
import { readCatalog } from "../../scripts/price-book/catalog.ts";
import { BookIndex } from "../../src/domain/price/book-index.ts";
import { bedrock } from "../../src/providers/bedrock.ts";
import { findProviderRoute } from "../../src/providers/by-url.ts";
import type { JsonObject } from "../../src/providers/json.ts";
import { readListedRequest } from "../../src/providers/listed-request.ts";
import { bedrockUsage } from "../../src/providers/usage/bedrock-usage.ts";

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

function at(operation: string, model = CLAUDE) {
  const route = bedrock.route("POST", `/model/${encodeURIComponent(model)}/${operation}`);
  if (route.kind !== "metered") throw new Error(`${operation} is not metered`);
  const { api, pathModel } = route;
  return {
    api,
    read: (body: JsonObject, headers: Record<string, string> = {}) =>
      readListedRequest(api, body, {
        pathModel,
        query: new URLSearchParams(),
        headers: new Headers(headers),
        facts: (name) => bedrock.facts(name),
      }),
  };
}

const saying = (...content: object[]) => ({ messages: [{ role: "user", content }] });
const HI = saying({ text: "Hi" });
const MESSAGES = { anthropic_version: "bedrock-2023-05-31", max_tokens: 9, messages: [] };

describe("the model", () => {
  test("is the one of the path, with the prefix of its profile", () => {
    expect(at("converse").read(HI).model).toBe(CLAUDE);
    expect(at("invoke").read(MESSAGES).model).toBe(CLAUDE);
  });

  test("must not differ in the body", () => {
    expect(() => at("converse").read({ ...HI, model: "amazon.nova-micro-v1:0" })).toThrow(/another model/);
    expect(() => at("invoke").read({ ...MESSAGES, model: "claude-3-haiku" })).toThrow(/another model/);
    expect(() => at("converse").read({ ...HI, modelId: CLAUDE })).toThrow(/not metered/);
  });

  test.each(["arn:aws:bedrock:us-east-1:1:custom-model", "x y", "-x", "é"])("%s has no price", (model) => {
    for (const operation of ["converse", "converse-stream", "invoke", "invoke-with-response-stream"])
      expect(() => at(operation, model).read(HI)).toThrow(expect.objectContaining({ status: 400 }));
  });

  test("has the bounds of its maker's", () => {
    expect(bedrock.facts(CLAUDE)).toMatchObject({ outputTokens: 128_000, reasons: false });
    expect(bedrock.facts("anthropic.claude-3-haiku-20240307-v1:0").outputTokens).toBe(4096);
    expect(bedrock.facts("x.y.anthropic.claude-3-haiku").reasons).toBe(true);
    expect(bedrock.facts("eu.amazon.nova-pro-v1:0").reasons).toBe(false);
    expect(bedrock.facts("us.meta.llama4-scout-17b-instruct-v1:0").contextTokens).toBeGreaterThan(3_500_000);
    expect(bedrock.facts("deepseek.r1-v1:0").reasons).toBe(true);
  });
});

describe("what would be billed beside the answer is refused", () => {
  test.each<[string, JsonObject]>([
    ["a guardrail", { guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" } }],
    ["a stored prompt", { promptVariables: {} }],
    ["a tool of Bedrock's own", { toolConfig: { tools: [{ systemTool: { name: "nova_grounding" } }] } }],
    ["that is no list", { toolConfig: { tools: { systemTool: { name: "nova_grounding" } } } }],
    ["a bound of the model's own", { additionalModelRequestFields: { max_tokens: 100_000 } }],
    ["a beta", { additionalModelRequestFields: { anthropic_beta: ["context-1m-2025-08-07"] } }],
    ["a cache of an hour", { system: [{ text: "x" }, { cachePoint: { type: "default", ttl: "1h" } }] }],
    ["that of tools", { toolConfig: { tools: [{ cachePoint: { type: "default", ttl: "1h" } }] } }],
    [
      "that of what a tool returned",
      saying({ toolResult: { toolUseId: "t", content: [{ cachePoint: { type: "default", ttl: "1h" } }] } }),
    ],
    ["another bound", { inferenceConfig: { maxTokens: 5, maxNewTokens: 9000 } }],
    ["a tier with a latency", { serviceTier: { type: "flex" }, performanceConfig: { latency: "optimized" } }],
  ])("%s", (_, body) => {
    for (const operation of ["converse", "converse-stream"])
      expect(() => at(operation).read({ ...HI, ...body })).toThrow(expect.objectContaining({ status: 403 }));
  });

  test.each([
    "x-amzn-bedrock-guardrailidentifier",
    "x-amzn-bedrock-performanceconfig-latency",
    "x-amzn-bedrock-service-tier",
  ])("the header %s", (name) => {
    for (const operation of ["converse", "invoke", "invoke-with-response-stream"])
      expect(() => at(operation).read(MESSAGES, { [name]: "x" })).toThrow(/not metered/);
    expect(() => at("invoke").read(MESSAGES, { "x-amzn-bedrock-accept": "application/json" })).not.toThrow();
  });

  test("a cache of an hour in a request of the model's own", () => {
    const cached = (cache_control: object) => [{ type: "text", text: "x", cache_control }];
    const read = (ttl?: string) =>
      at("invoke").read({ ...MESSAGES, system: cached({ type: "ephemeral", ttl }) });
    expect(() => read("1h")).toThrow(/no price/);
    expect(read("5m").hasCostlyInput).toBe(true);
  });

  test("and a member in another spelling", () => {
    expect(() => at("converse").read({ ...HI, inferenceConfig: { MaxTokens: 5 } })).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });
});

describe("a conversation", () => {
  test("is bounded, and gets a bound where it has none", () => {
    const { api, read } = at("converse");
    expect(read({ ...HI, inferenceConfig: { maxTokens: 50 } }).outputBound?.perAnswer).toBe(50);
    expect(read(HI).outputBound?.perAnswer).toBeNull();
    expect(() => read({ ...HI, inferenceConfig: { maxTokens: 0 } })).toThrow(/positive/);
    const written = api.withBounds({ ...HI, inferenceConfig: { topP: 1 } }, { maxOutputTokens: 70 });
    expect(written["inferenceConfig"]).toEqual({ topP: 1, maxTokens: 70 });
  });

  test("is a stream by its path", () => {
    expect(at("converse").read(HI).isStream).toBe(false);
    expect(at("converse-stream").read(HI).isStream).toBe(true);
    expect(at("converse").api.readEvent).toBeNull();
  });

  test("hides output where it thinks", () => {
    const own = { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } } };
    expect(at("converse").read(HI).hidesOutput).toBe(false);
    expect(at("converse").read({ ...HI, ...own }).hidesOutput).toBe(true);
    expect(at("converse").read({ ...HI, outputConfig: { effort: "max" } }).hidesOutput).toBe(true);
    expect(at("converse", "deepseek.r1-v1:0").read(HI).hidesOutput).toBe(true);
  });

  test("has a variant for a tier and for a latency", () => {
    const variant = (body: JsonObject) => at("converse").read({ ...HI, ...body }).variant;
    expect(variant({ serviceTier: { type: "default" } })).toBeNull();
    expect(variant({ serviceTier: { type: "priority" } })).toBe("priority");
    expect(variant({ performanceConfig: { latency: "standard" } })).toBeNull();
    expect(variant({ performanceConfig: { latency: "optimized" } })).toBe("optimized");
    const { api } = at("converse");
    expect(api.readAnswer({ performanceConfig: { latency: "optimized" } }).variant).toBe("optimized");
    expect(api.readAnswer({ serviceTier: { type: "flex" } }).variant).toBe("flex");
    expect(api.readAnswer({ performanceConfig: { latency: "standard" } }).variant).toBe("standard");
  });

  test("counts every text, wherever it stands, and pictures only where they are read as such", () => {
    const tokens = (...content: object[]) => at("converse").read(saying(...content)).inputTokens;
    const long = "x".repeat(50_000);
    expect(tokens({ text: long })).toBeGreaterThanOrEqual(50_000);
    expect(tokens({ image: { format: "png", source: { bytes: long } } })).toBeLessThan(10_000);
    for (const hidden of [
      { toolUse: { toolUseId: "1", name: "n", input: { image: { source: { bytes: long } } } } },
      {
        toolUse: { toolUseId: "1", name: "n", input: { type: "image", media_type: "image/png", data: long } },
      },
      { toolResult: { toolUseId: "1", content: [{ json: { type: "image", data: long } }] } },
      { toolResult: { toolUseId: long, content: [] } },
      { reasoningContent: { reasoningText: { text: long } } },
      { unheardOf: long },
      { image: { format: "png", source: { bytes: "AA" } }, text: long },
    ])
      expect([JSON.stringify(hidden).slice(0, 40), tokens(hidden) >= 50_000]).toEqual([
        JSON.stringify(hidden).slice(0, 40),
        true,
      ]);
    expect(at("converse").read({ ...HI, system: [{ text: long }] }).inputTokens).toBeGreaterThan(50_000);
    const tools = [{ toolSpec: { name: "n", inputSchema: { json: { data: long } } } }];
    expect(at("converse").read({ ...HI, toolConfig: { tools } }).inputTokens).toBeGreaterThan(50_000);
    expect(at("converse").read(HI).texts).toContain("Hi");
  });

  test("reserves the whole context for what the body does not show", () => {
    const unseen = (...content: object[]) => at("converse").read(saying(...content)).unseenInput;
    expect(unseen({ text: "Hi" }, { image: { format: "png", source: { bytes: "AAAA" } } })).toBeNull();
    for (const block of [
      { image: { format: "png", source: { s3Location: { uri: "s3://b/k" } } } },
      { document: { format: "pdf", name: "d", source: { bytes: "AAAA" } } },
      { video: { format: "mp4", source: { bytes: "AAAA" } } },
      { audio: { format: "mp3", source: { bytes: "AAAA" } } },
      { toolResult: { toolUseId: "1", content: [{ document: { source: { bytes: "AAAA" } } }] } },
    ])
      expect([block, unseen(block)]).toEqual([block, "document"]);
  });

  test("may cost more than text where it writes to a cache", () => {
    const point = { cachePoint: { type: "default" } };
    const costly = (body: JsonObject) => at("converse").read({ ...HI, ...body }).hasCostlyInput;
    expect(costly({})).toBe(false);
    expect(costly(saying({ text: "Hi" }, point))).toBe(true);
    expect(costly({ system: [{ text: "Hi" }, point] })).toBe(true);
    expect(costly({ toolConfig: { tools: [point] } })).toBe(true);
  });
});

describe("a model's own request", () => {
  test("of Claude is read as its maker's, and of any other model is refused", () => {
    expect(at("invoke").read(MESSAGES)).toMatchObject({ isStream: false, outputBound: { perAnswer: 9 } });
    expect(at("invoke-with-response-stream").read(MESSAGES).isStream).toBe(true);
    for (const model of [
      "meta.llama3-8b-instruct-v1:0",
      "amazon.nova-micro-v1:0",
      "stability.sd3-5-large-v1:0",
    ])
      expect(() => at("invoke", model).read({ prompt: "Hi" })).toThrow(/converse/);
  });

  test.each<JsonObject>([
    { anthropic_beta: ["context-1m-2025-08-07"] },
    { anthropic_beta: "context-1m-2025-08-07" },
    { anthropic_beta: { 0: "context-1m-2025-08-07" } },
    { stream: true },
    { inputText: "Hi" },
    { tools: [{ type: "code_execution_20250825" }] },
  ])("is refused with %j", (more) => {
    expect(() => at("invoke").read({ ...MESSAGES, ...more })).toThrow();
    expect(() => at("invoke").read({ ...MESSAGES, anthropic_beta: ["claude-code-20250219"] })).not.toThrow();
  });

  test("for an embedding counts its text, and is told its tokens", () => {
    const { api, read } = at("invoke", "amazon.titan-embed-text-v2:0");
    expect(read({ inputText: "x".repeat(500) })).toMatchObject({ outputBound: null });
    expect(read({ inputText: "x".repeat(500) }).inputTokens).toBeGreaterThanOrEqual(500);
    expect(() => read({ inputText: "x", inputImage: "AAAA" })).toThrow(/not metered/);
    expect(() => at("invoke-with-response-stream", "amazon.titan-embed-text-v2:0").read({})).toThrow();
    expect(api.readAnswer({ inputTextTokenCount: 7 }).usage).toEqual({ input_tokens: 7, output_tokens: 0 });
    expect(api.readAnswer({}).usage).toBeNull();
  });

  test("streams the model's own events in chunks, and what cannot be read hides output", () => {
    const { readEvent } = at("invoke-with-response-stream").api;
    const chunk = (text: string) => ({ chunk: { bytes: Buffer.from(text).toString("base64") } });
    const usage = { input_tokens: 3, output_tokens: 4 };
    expect(readEvent?.(chunk(JSON.stringify({ type: "message_delta", delta: {}, usage })))).toMatchObject({
      usage,
      isWholeUsage: true,
    });
    expect(readEvent?.(chunk('{"type":"message_stop"}')).isLast).toBe(true);
    for (const odd of [chunk("no json"), { chunk: { bytes: "%" } }, { chunk: {} }, { other: {} }])
      expect(readEvent?.(odd)).toMatchObject({ isUncounted: true });
    expect(readEvent?.({ exception: {} })).toMatchObject({ hasFailed: true });
  });
});

test("usage is in our classes, and tokens that only the total has are output", () => {
  const cache = {
    cacheReadInputTokens: 100,
    cacheWriteInputTokens: 30,
    cacheDetails: [
      { ttl: "5m", inputTokens: 10 },
      { ttl: "1h", inputTokens: 20 },
    ],
  };
  expect(bedrockUsage({ inputTokens: 5, outputTokens: 7, totalTokens: 142, ...cache })).toEqual({
    input_tokens: 135,
    output_tokens: 7,
    cache_read_tokens: 100,
    cache_write_tokens: 10,
    cache_write_1h_tokens: 20,
  });
  expect(bedrockUsage({ inputTokens: 5, outputTokens: 7, totalTokens: 50 })?.output_tokens).toBe(45);
  for (const odd of [
    null,
    [],
    {},
    { inputTokens: 5 },
    { inputTokens: -1, outputTokens: 1 },
    { outputTokens: 1 },
  ])
    expect(bedrockUsage(odd)).toBeNull();
});

test.each([
  ["https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse", "aws"],
  ["https://bedrock-runtime-fips.us-east-1.amazonaws.com/model/m/invoke", "aws"],
  ["https://bedrock-runtime.eu-west-1.amazonaws.com.evil.test/model/m/converse", "openai"],
])("%s has the prices of %s", (url, prices) => {
  expect(findProviderRoute("POST", new URL(url), undefined).provider.prices).toBe(prices);
});

test("the price book has Bedrock's rates under the names that its paths have, each by its own region", async () => {
  const { models, providers } = await readCatalog(new Date("2026-11-15T12:00:00Z"));
  const rows = new Map(models.map((row) => [row.model, row]));
  const index = new BookIndex(
    models.map(({ model, provider = null, aliases = [] }) => ({ model, provider, aliases })),
    providers.map(({ provider, names = [], models: claimed = [], fallbacks = [], hosts = false }) => ({
      provider,
      names,
      models: claimed,
      fallbacks,
      hosts,
    })),
  );
  const rateOf = (model: string) =>
    rows.get(index.findAt(bedrock.prices, model)?.model ?? "")?.input_usd_per_mtok ?? null;
  expect((await waitForUpdate())?.some(({ id }) => id === bedrock.prices)).toBe(true);
  expect(rateOf("global.anthropic.claude-sonnet-4-5-20250929-v1:0")).toBe("3");
  expect(rateOf("us.anthropic.claude-sonnet-4-5-20250929-v1:0")).toBe("3.3");
  expect(rateOf("anthropic.claude-sonnet-4-5-20250929-v1:0")).toBe("3.3");
  expect(rateOf("amazon.nova-micro-v1:0")).toBe("0.035");
  expect(rateOf("eu.amazon.nova-micro-v1:0")).toBe("0.035");
  expect(rateOf("us.meta.llama3-3-70b-instruct-v1:0")).toBe("0.72");
  expect(rateOf("amazon.titan-embed-text-v2:0")).toBe("0.02");
  expect(rateOf("a1b2c3d4e5f6")).toBeNull();
  for (const { model } of models.filter((row) => row.provider === "aws")) {
    const id = model.replace(/^aws\//, "");
    expect([id, rateOf(id)]).toEqual([id, rows.get(model)?.input_usd_per_mtok]);
  }
});
