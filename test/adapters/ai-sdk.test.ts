import { createOpenAI } from "@ai-sdk/openai";
import { embed, generateImage, generateText, streamText, wrapLanguageModel } from "ai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { governEmbeddings, governImages, sluiceMiddleware } from "../../src/adapters/ai-sdk.ts";
import type { CallGate } from "../../src/adapters/governed-call.ts";
import { Refused } from "../../src/client/gate/index.ts";
import { type Fetch, type Json, type Params, SdkModel } from "../support/sdk-model.ts";

/** The middleware, before the SDK's own models and before models of the same build. Providers answer as their references say. */

let asked: Parameters<CallGate["decide"]>[0][] = [];
let settled: Parameters<CallGate["settle"]>[1][] = [];
let traces: unknown[] = [];
beforeEach(() => {
  asked = [];
  traces = [];
  settled = [];
});

const gate: CallGate = {
  decide: async (ask, options) => {
    asked.push(ask);
    traces.push(options?.traceparent);
    return { reservation: { id: "rsv_1", amount_usd: "9", max_output_tokens: 300 } } as never;
  },
  settle: (_, run) => void settled.push(run),
  release: async () => undefined,
  knownFacts: null,
};
const broke = new Refused(
  { code: "budget_exceeded", message: "No.", details: {} },
  new Response(null, { status: 402 }),
);
const refusing: CallGate = { ...gate, decide: () => Promise.reject(broke) };

const messages = [{ role: "user", content: "hi" }];
const CHAT = "https://api.openai.com/v1/chat/completions";
const CLAUDE = "https://api.anthropic.com/v1/messages";
const GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent";
const OPENAI_USAGE = {
  prompt_tokens: 40,
  completion_tokens: 30,
  total_tokens: 70,
  prompt_tokens_details: { cached_tokens: 8, audio_tokens: 20 },
  completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 25 },
};

interface Sent {
  readonly url: string;
  readonly body: Json;
}

function answering(answer: unknown, status = 200) {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    sent.push({ url: url as string, body: JSON.parse(init?.body as string) as Json });
    return Response.json(answer, { status });
  };
  return { fetch, sent };
}

const chatModel = (fetch: Fetch | undefined, more: Json = {}) =>
  new SdkModel("openai.chat", "gpt-4o", { url: CHAT, body: { model: "gpt-4o", messages, ...more }, fetch });

const claudeUsage = (more: object) => ({
  input_tokens: 10,
  output_tokens: 30,
  service_tier: "standard",
  ...more,
});
const claude = (body: Json) => ({ model: "claude-opus-4-6", messages, max_tokens: 128_000, ...body });
const geminiUsage = (more: object) => ({
  promptTokenCount: 100,
  candidatesTokenCount: 30,
  totalTokenCount: 130,
  ...more,
});
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

describe("what an answer says of its price is charged", () => {
  test.each([
    [
      "sound, read and spoken",
      ["openai.chat", "gpt-audio", CHAT, { model: "gpt-audio", messages, modalities: ["text", "audio"] }],
      { choices: [], usage: OPENAI_USAGE },
      {
        usage: { audio_input_tokens: 20, audio_output_tokens: 25, cache_read_tokens: 8, reasoning_tokens: 5 },
      },
    ],
    [
      "sound that Gemini heard",
      ["google.generative-ai", "gemini-2.5-flash", GEMINI, { contents }],
      { usageMetadata: geminiUsage({ promptTokensDetails: [{ modality: "AUDIO", tokenCount: 90 }] }) },
      { provider: "google", usage: { input_tokens: 100, audio_input_tokens: 90 } },
    ],
    [
      "a picture that Gemini drew",
      ["google.generative-ai", "gemini-2.5-flash", GEMINI, { contents }],
      { usageMetadata: geminiUsage({ candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 29 }] }) },
      { usage: { output_tokens: 30, image_output_tokens: 29 } },
    ],
    [
      "a faster answer",
      ["anthropic.messages", "claude-opus-4-6", CLAUDE, claude({ speed: "fast" })],
      { usage: claudeUsage({ speed: "fast" }) },
      { variant: "fast" },
    ],
    [
      "an answer that stays in one country",
      ["anthropic.messages", "claude-opus-4-6", CLAUDE, claude({ inference_geo: "us" })],
      { usage: claudeUsage({ inference_geo: "us" }) },
      { variant: "us" },
    ],
    [
      "a cache of an hour",
      ["anthropic.messages", "claude-opus-4-6", CLAUDE, claude({})],
      {
        usage: claudeUsage({
          cache_creation_input_tokens: 500,
          cache_read_input_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 500 },
        }),
      },
      { usage: { input_tokens: 510, cache_write_1h_tokens: 500 } },
    ],
  ] as const)("%s", async (_, [provider, name, url, body], answer, charge) => {
    const { fetch } = answering(answer);
    const model = new SdkModel(provider, name, { url, body, fetch });
    await sluiceMiddleware({ gate }).wrapGenerate({ params: {}, model });
    expect(settled).toMatchObject([{ model: name, estimated: false, outcome: "completed", ...charge }]);
    // The reservation is for the same price.
    const { variant } = charge as { variant?: string };
    expect(asked.map((ask) => ask.variant)).toEqual([variant]);
  });
});

describe("what a body does not show is reserved", () => {
  test.each([
    ["cachedContent", "google", GEMINI, { contents, cachedContent: "cachedContents/1" }, 1_048_576],
    [
      "mcpServers",
      "anthropic",
      CLAUDE,
      claude({ mcp_servers: [{ type: "url", url: "https://x.test" }] }),
      4_000_000,
    ],
    ["container", "anthropic", CLAUDE, claude({ container: "container_1" }), 1_000_000],
  ])("%s", async (_, provider, url, body, input_tokens) => {
    const model = new SdkModel(provider, "m", { url, body, ...answering({}) });
    await sluiceMiddleware({ gate }).wrapGenerate({ params: {}, model });
    expect(asked).toMatchObject([{ estimate: { input_tokens } }]);
    await expect(
      sluiceMiddleware({ gate, unseenInput: "refuse" }).wrapGenerate({ params: {}, model }),
    ).rejects.toThrow(/does not show/);
  });
});

test.each<[string, string, Params]>([
  ["plugins", "body", { body: { plugins: [] } }],
  ["unheard_of", "body", { body: { unheard_of: 1 } }],
  ["x-goog-fieldmask", "headers", { headers: { "x-goog-fieldmask": "x" } }],
])(
  "%s, which is in no list, is refused in the %s, and the provider is not called",
  async (name, _, params) => {
    const { fetch, sent } = answering({});
    const called = sluiceMiddleware({ gate }).wrapStream({ params, model: chatModel(fetch) });
    await expect(called).rejects.toThrow(name);
    expect([asked, sent]).toEqual([[], []]);
  },
);

test("a refusal is thrown as it is, and the provider is not called", async () => {
  const { fetch, sent } = answering({});
  const middleware = sluiceMiddleware({ gate: refusing });
  await expect(middleware.wrapGenerate({ params: {}, model: chatModel(fetch) })).rejects.toBe(broke);
  await expect(middleware.wrapStream({ params: {}, model: chatModel(fetch) })).rejects.toBe(broke);
  expect(sent).toEqual([]);
});

describe("a model whose requests cannot be seen", () => {
  const REFUSED = /Put this middleware last.*governedFetch/;
  const run = (model: unknown) =>
    sluiceMiddleware({ gate }).wrapGenerate({ params: {}, model: model as SdkModel });

  test("is refused before it is called: without a config, without a fetch in it, or with a method of its own", async () => {
    const called: unknown[] = [];
    const doGenerate = async () => called.push("model");
    const base = { provider: "x", modelId: "m", doGenerate, doStream: doGenerate };
    const own = Object.assign(
      chatModel(async () => new Response()),
      { doGenerate },
    );
    const bound = Object.create({ doGenerate }, { config: { value: { binding: {} } } }) as object;
    for (const model of [base, bound, own]) await expect(run(model)).rejects.toThrow(REFUSED);
    expect([called, asked]).toEqual([[], []]);
  });

  test("is refused if it answers without a request", async () => {
    class Other extends SdkModel {
      override async doGenerate() {
        return { raw: "from elsewhere" };
      }
    }
    await expect(run(new Other("x", "m", { url: CHAT, body: {}, fetch: undefined }))).rejects.toThrow(
      REFUSED,
    );
  });

  test("throws what it throws before its request, and nothing is asked", async () => {
    class Broken extends SdkModel {
      override async doGenerate(): Promise<never> {
        throw new Error("no such option");
      }
    }
    await expect(run(new Broken("x", "m", { url: CHAT, body: {}, fetch: undefined }))).rejects.toThrow(
      "no such option",
    );
    expect(asked).toEqual([]);
  });
});

describe("a model of an older version, which the SDK translates", () => {
  /** As `asLanguageModelV4` of the SDK does it. */
  const translated = (model: SdkModel) =>
    new Proxy(model, {
      get(target, property) {
        if (property !== "doGenerate") return Reflect.get(target, property, target) as unknown;
        return async (params: Params) => ({ ...(await target.doGenerate(params)), isTranslated: true });
      },
    });

  test("is governed below the translation, also in parallel, and left as it was", async () => {
    const { fetch, sent } = answering({ choices: [], usage: OPENAI_USAGE });
    const model = chatModel(fetch);
    const middleware = sluiceMiddleware({ gate });
    const call = () => middleware.wrapGenerate({ params: {}, model: translated(model) });
    expect(await Promise.all([call(), call()])).toMatchObject([
      { isTranslated: true },
      { isTranslated: true },
    ]);
    expect([sent.length, settled.length, Object.hasOwn(model, "doGenerate")]).toEqual([2, 2, false]);
    expect(model.config.fetch).toBe(fetch);
    await expect(
      sluiceMiddleware({ gate: refusing }).wrapGenerate({ params: {}, model: translated(model) }),
    ).rejects.toBe(broke);
    expect(sent).toHaveLength(2);
  });

  test("is not called where it cannot be governed", async () => {
    const { fetch, sent } = answering({});
    const model = Object.freeze(chatModel(fetch));
    const called = sluiceMiddleware({ gate }).wrapGenerate({ params: {}, model: translated(model) });
    await expect(called).rejects.toThrow();
    expect(sent).toEqual([]);
  });
});

describe("the bound on the output", () => {
  const bounded = async (params: Params, more: Json = {}) => {
    const { fetch, sent } = answering({ usage: claudeUsage({}) });
    const model = new SdkModel("anthropic", "claude-opus-4-6", { url: CLAUDE, body: claude(more), fetch });
    await sluiceMiddleware({ gate }).wrapGenerate({ params, model });
    const { max_output_tokens: most, min_output_tokens: least } = asked.at(-1)?.estimate ?? {};
    return [most, least, sent.at(-1)?.body["max_tokens"]];
  };

  test("that is a default of the SDK is as ours would be", async () => {
    expect(await bounded({})).toEqual([16_384, 256, 300]);
    expect(await bounded({}, { max_tokens: 4096 })).toEqual([4096, 256, 300]);
  });

  test("of the caller, or above a budget of thoughts, stands", async () => {
    expect(await bounded({ maxOutputTokens: 50 }, { max_tokens: 50 })).toEqual([50, undefined, 50]);
    const thinking = { type: "enabled", budget_tokens: 20_000 };
    expect(await bounded({}, { max_tokens: 40_000, thinking })).toEqual([40_000, undefined, 40_000]);
  });
});

describe("the names in the price book", () => {
  const named = async (provider: string, url: string, options: object = {}) => {
    const body = { model: "m", messages };
    const model = new SdkModel(provider, "m", { url, body, ...answering({}) });
    await sluiceMiddleware({ gate, ...options }).wrapGenerate({ params: {}, model });
    return [asked.at(-1)?.provider, asked.at(-1)?.model];
  };

  test("are those of the host, else of the SDK, else of the options", async () => {
    expect(await named("openai.chat", "https://api.groq.com/openai/v1/chat/completions")).toEqual([
      "groq",
      "m",
    ]);
    expect(await named("acme.chat", "https://acme.test/v1/chat/completions")).toEqual(["acme", "m"]);
    expect(await named("anthropic.messages", "https://acme.test/v1/messages")).toEqual(["anthropic", "m"]);
    expect(await named("acme.chat", CHAT, { provider: "mine", model: "gpt" })).toEqual(["mine", "gpt"]);
    expect(
      await named("acme.chat", CHAT, { model: "x", ask: () => ({ model: "y", provider: "z" }) }),
    ).toEqual(["z", "y"]);
  });
});

test("each further request of a call is governed by itself", async () => {
  class Polling extends SdkModel {
    override async doGenerate(params: Params) {
      await (await this.post(params)).text();
      return super.doGenerate(params);
    }
  }
  const { fetch, sent } = answering({ choices: [], usage: OPENAI_USAGE });
  const model = new Polling("openai", "gpt-4o", { url: CHAT, body: { model: "gpt-4o", messages }, fetch });
  await sluiceMiddleware({ gate }).wrapGenerate({ params: {}, model });
  expect([asked.length, sent.length, settled.length]).toEqual([2, 2, 2]);
  let left = 1;
  const once = {
    ...gate,
    decide: (ask: never) => ((left -= 1) < 0 ? Promise.reject(broke) : gate.decide(ask)),
  };
  await expect(sluiceMiddleware({ gate: once }).wrapGenerate({ params: {}, model })).rejects.toBe(broke);
  expect(sent).toHaveLength(3);
});

test("what a provider refuses costs nothing, and what cannot be read costs what was reserved", async () => {
  const refused = chatModel(answering({}, 401).fetch);
  await expect(sluiceMiddleware({ gate }).wrapGenerate({ params: {}, model: refused })).rejects.toMatchObject(
    {
      statusCode: 401,
    },
  );
  const odd = chatModel(async () => new Response("<html>"));
  await expect(sluiceMiddleware({ gate }).wrapGenerate({ params: {}, model: odd })).rejects.toThrow();
  expect(settled).toMatchObject([
    { outcome: "failed", cost_usd: "0" },
    { cost_usd: "9", estimated: true },
  ]);
});

describe("the SDK's own models", () => {
  const openai = (fetch: Fetch) => createOpenAI({ apiKey: "k", fetch });
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const answer = {
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage: OPENAI_USAGE,
  };

  test("are asked for below the caller's span, bounded, and charged", async () => {
    const { fetch, sent } = answering(answer);
    const middleware = sluiceMiddleware({ gate, ask: { workflow_id: "docs" } });
    const model = wrapLanguageModel({ model: openai(fetch).chat("gpt-4o"), middleware });
    const { text } = await generateText({ model, prompt: "hi", headers: { traceparent: trace } });
    expect([
      text,
      traces,
      sent.map(({ body }) => body["max_completion_tokens"] ?? body["max_tokens"]),
    ]).toEqual(["ok", [trace], [300]]);
    expect(settled).toMatchObject([
      { workflow_id: "docs", model: "gpt-4o", provider: "openai", outcome: "completed" },
    ]);
  });

  test("are not tried again after a refusal", async () => {
    const { fetch } = answering(answer);
    const model = wrapLanguageModel({
      model: openai(fetch).chat("gpt-4o"),
      middleware: sluiceMiddleware({
        gate: { ...refusing, decide: (ask) => (asked.push(ask), Promise.reject(broke)) },
      }),
    });
    await expect(generateText({ model, prompt: "hi", maxRetries: 2 })).rejects.toBe(broke);
    expect(asked).toHaveLength(1);
  });

  test("embed and draw", async () => {
    const embeds = answering({ data: [{ embedding: [1] }], usage: { prompt_tokens: 7, total_tokens: 7 } });
    const options = { gate, ask: { customer_id: "c" } };
    const embedding = governEmbeddings(openai(embeds.fetch).embedding("text-embedding-3-small"), options);
    await embed({ model: embedding, value: "one" });
    const usage = {
      input_tokens: 5,
      output_tokens: 100,
      total_tokens: 105,
      input_tokens_details: { text_tokens: 5, image_tokens: 0 },
    };
    const draws = answering({ created: 1, data: [{ b64_json: "AAAA" }], usage });
    await generateImage({
      model: governImages(openai(draws.fetch).image("gpt-image-1"), options),
      prompt: "a cat",
    });
    expect(settled).toMatchObject([
      { customer_id: "c", usage: { input_tokens: 7, output_tokens: 0 } },
      { customer_id: "c", usage: { input_tokens: 5, output_tokens: 100, image_output_tokens: 100 } },
    ]);
  });
});

describe("a caller that aborts a stream", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const GRACE_MS = 500;
  const END = `data: ${JSON.stringify({ choices: [], usage: OPENAI_USAGE })}\n\ndata: [DONE]\n\n`;

  /** A provider that begins its stream after a while, and ends it after another, unless it is stopped. */
  function slow(beginsMs: number, endsMs: number, onLeave: "stop" | "finish" = "stop") {
    const stopped: boolean[] = [];
    const fetch: Fetch = (_, init) =>
      new Promise((resolve, reject) => {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            setTimeout(() => {
              if (stopped.length > 0) return;
              controller.enqueue(new TextEncoder().encode(END));
              controller.close();
            }, beginsMs + endsMs);
            init?.signal?.addEventListener("abort", () => {
              stopped.push(true);
              controller.error(new Error("stopped"));
              reject(new Error("stopped"));
            });
          },
        });
        const headers = { "content-type": "text/event-stream" };
        setTimeout(() => resolve(new Response(body, { headers })), beginsMs);
      });
    const caller = new AbortController();
    const middleware = sluiceMiddleware({ gate, leaveGraceMs: GRACE_MS, onLeave });
    const model = chatModel(fetch, { stream: true });
    const begun = middleware.wrapStream({ params: { abortSignal: caller.signal }, model });
    begun.catch(() => undefined);
    return { begun, stopped, abort: () => caller.abort(new Error("gone")) };
  }

  test.each([
    ["before it begins", 3_600_000, 0],
    ["after it has begun", 0, 3_600_000],
  ])("%s has it stopped after the grace, at the price of its input", async (_, beginsMs, endsMs) => {
    const { begun, stopped, abort } = slow(beginsMs, endsMs);
    await vi.advanceTimersByTimeAsync(1);
    abort();
    if (beginsMs > 0) await expect(begun).rejects.toThrow("gone");
    await vi.advanceTimersByTimeAsync(GRACE_MS - 2);
    expect([stopped, settled]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(10);
    expect(stopped).toEqual([true]);
    expect(settled).toMatchObject([{ outcome: "cancelled", estimated: true, usage: { output_tokens: 0 } }]);
    expect(settled[0]?.usage?.input_tokens).toBeGreaterThan(0);
  });

  test.each([
    ["whose usage comes within the grace", 0, GRACE_MS - 10, "stop"],
    ["that is read to its end", 0, 10 * GRACE_MS, "finish"],
  ] as const)("%s pays by its usage", async (_, beginsMs, endsMs, onLeave) => {
    const { abort } = slow(beginsMs, endsMs, onLeave);
    await vi.advanceTimersByTimeAsync(1);
    abort();
    await vi.advanceTimersByTimeAsync(beginsMs + endsMs + 10);
    expect(settled).toMatchObject([{ outcome: "completed", usage: { output_tokens: 30 } }]);
  });
});

test("a stream of the SDK's own model is charged by the usage at its end", async () => {
  const events = [
    { choices: [{ index: 0, delta: { role: "assistant", content: "ok" } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { choices: [], usage: OPENAI_USAGE },
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + "data: [DONE]\n\n";
  const fetch: Fetch = async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
  const openai = createOpenAI({ apiKey: "k", fetch });
  const model = wrapLanguageModel({ model: openai.chat("gpt-4o"), middleware: sluiceMiddleware({ gate }) });
  expect(await streamText({ model, prompt: "hi" }).text).toBe("ok");
  expect(settled).toMatchObject([
    { outcome: "completed", estimated: false, usage: { output_tokens: 30, audio_output_tokens: 25 } },
  ]);
});
