import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { governEmbeddings, governImages, sluiceMiddleware } from "../../src/adapters/ai-sdk.ts";
import type { CallGate } from "../../src/adapters/governed-call.ts";

/** The middleware, before models as each version of the AI SDK has them. */

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
    return {
      decision: "allow",
      reservation: { id: "rsv_1", amount_usd: "9", max_output_tokens: 300 },
    } as never;
  },
  settle: (_, run) => void settled.push(run),
  release: async () => undefined,
  knownFacts: null,
};

/** One that reserves what is asked for. */
const unbounded: CallGate = {
  ...gate,
  decide: async (ask) => (asked.push(ask), { reservation: null }) as never,
};

const OF_5 = { inputTokens: 40, outputTokens: 30, totalTokens: 70, reasoningTokens: 5, cachedInputTokens: 8 };
const OF_6 = {
  inputTokens: { total: 40, noCache: 32, cacheRead: 8, cacheWrite: undefined },
  outputTokens: { total: 30, text: 25, reasoning: 5 },
};

interface Params {
  readonly prompt: unknown;
  readonly maxOutputTokens?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

function modelWith(usage: typeof OF_5 | typeof OF_6) {
  const sent: Params[] = [];
  const parts = [
    { type: "text-delta", delta: "hello" },
    { type: "finish", usage },
  ];
  const model = {
    provider: "openai.chat",
    modelId: "gpt-4o",
    doGenerate: async (params: Params) => (sent.push(params), { usage }),
    doStream: async (params: Params) => (sent.push(params), { stream: streamOf(parts) }),
  };
  return { model, sent };
}

function streamOf<P>(parts: readonly P[]): ReadableStream<P> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

const given = { workflow_id: "docs" };
const prompt = [{ role: "user", content: [{ type: "text", text: "hi" }] }];

test("a call is below the span that its caller names in the headers, whatever it makes", async () => {
  const { model } = modelWith(OF_6);
  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const headers = { Traceparent: trace, other: "x" };
  const middleware = sluiceMiddleware({ gate });
  await middleware.wrapGenerate({ params: { prompt, headers } as Params, model });
  await middleware.wrapStream({ params: { prompt, headers } as Params, model });
  const doEmbed = async (options: object) => ({ usage: { tokens: Object.keys(options).length } });
  const embeds = governEmbeddings({ provider: "openai", modelId: "e", doEmbed }, { gate });
  await embeds.doEmbed({ values: ["a"], headers });
  await middleware.wrapGenerate({ params: { prompt }, model });
  expect(traces).toEqual([trace, trace, trace, undefined]);
});

describe.each([
  ["5", OF_5],
  ["6 and 7", OF_6],
])("version %s", (_, usage) => {
  const charged = {
    model: "gpt-4o",
    provider: "openai",
    workflow_id: "docs",
    outcome: "completed",
    estimated: false,
    usage: { input_tokens: 40, output_tokens: 30, cache_read_tokens: 8, reasoning_tokens: 5 },
  };

  test("a text is charged by its usage, and bounded by what was reserved", async () => {
    const { model, sent } = modelWith(usage);
    await sluiceMiddleware({ gate, ask: given }).wrapGenerate({ params: { prompt }, model });
    expect(settled).toMatchObject([charged]);
    expect(sent).toMatchObject([{ maxOutputTokens: 300 }]);
    expect(asked).toMatchObject([{ estimate: { max_output_tokens: 16_384, min_output_tokens: 256 } }]);
  });

  test("a stream is charged by its usage, also if its reader leaves after the first part", async () => {
    for (const leaves of [false, true]) {
      const { model } = modelWith(usage);
      const { stream } = await sluiceMiddleware({ gate, ask: given }).wrapStream({
        params: { prompt },
        model,
      });
      const reader = stream.getReader();
      await reader.read();
      if (leaves) await reader.cancel();
      else while (!(await reader.read()).done);
    }
    expect(settled).toMatchObject([charged, charged]);
  });
});

test.each([
  ["its text, at a token for each byte", [{ type: "text-delta", delta: "héllo" }], { output_tokens: 7 }],
  [
    "calls of tools that came whole",
    [{ type: "tool-call", toolName: "find", input: "{}" }],
    { output_tokens: 8 },
  ],
  ["files, at what was reserved", [{ type: "file", data: "AAAA" }], { output_tokens: 300 }],
])("a stream that breaks off without its usage is charged by %s", async (_, parts, charge) => {
  let read = 0;
  const broken = new ReadableStream<{ type: string }>({
    pull: (controller) => {
      const part = parts[read];
      read += 1;
      if (part === undefined) controller.error(new Error("broken off"));
      else controller.enqueue(part);
    },
  });
  const model = { ...modelWith(OF_6).model, doStream: async () => ({ stream: broken }) };
  const { stream } = await sluiceMiddleware({ gate }).wrapStream({ params: { prompt }, model });
  const reader = stream.getReader();
  await reader.read();
  await expect(reader.read()).rejects.toThrow("broken off");
  expect(settled).toMatchObject([{ outcome: "failed", estimated: true, usage: charge }]);
});

test("a bound of the caller's own goes on as it is, and one that is none is refused", async () => {
  const { model, sent } = modelWith(OF_6);
  const middleware = sluiceMiddleware({ gate });
  await middleware.wrapGenerate({ params: { prompt, maxOutputTokens: 50 }, model });
  expect(sent).toMatchObject([{ maxOutputTokens: 50 }]);
  await expect(middleware.wrapGenerate({ params: { prompt, maxOutputTokens: -1 }, model })).rejects.toThrow(
    /maxOutputTokens/,
  );
  expect(asked).toHaveLength(1);
});

test("a file that is elsewhere is reserved at the model's context, and a hosted tool that nobody prices is refused", async () => {
  const { model } = modelWith(OF_6);
  const middleware = sluiceMiddleware({ gate });
  const file = { type: "file", mediaType: "image/png", data: "https://x.test/a.png" };
  await middleware.wrapGenerate({ params: { prompt: [{ role: "user", content: [file] }] }, model });
  expect(asked).toMatchObject([{ estimate: { input_tokens: 128_000 } }]);
  const tools = [{ type: "provider", id: "openai.image_generation", args: {} }];
  await expect(middleware.wrapGenerate({ params: { prompt, tools } as Params, model })).rejects.toThrow(
    /not metered/,
  );
});

test("hosted tools are reserved as far as the call is then bounded", async () => {
  const send = async (tools: object[], more: object = {}) => {
    const { model, sent } = modelWith(OF_6);
    await sluiceMiddleware({ gate }).wrapGenerate({ params: { prompt, tools, ...more } as Params, model });
    return { units: asked.at(-1)?.estimate.units, sent: sent.at(-1) };
  };
  const search = { type: "provider", id: "anthropic.web_search_20250305", args: { maxUses: 3, city: "x" } };
  const anthropic = await send([search, { ...search, args: {} }, { type: "function", name: "web_search" }]);
  expect(anthropic.units).toEqual({ web_search: 19 });
  expect(anthropic.sent).toMatchObject({
    tools: [{ args: { maxUses: 3, city: "x" } }, { args: { maxUses: 16 } }, { type: "function" }],
  });
  const openai = [
    { type: "provider", id: "openai.web_search", args: {} },
    { type: "provider-defined", id: "openai.code_interpreter", args: {} },
  ];
  const usual = await send(openai);
  expect(usual.units).toEqual({ web_search: 16, code_interpreter_session: 1 });
  expect(usual.sent).toMatchObject({ providerOptions: { openai: { maxToolCalls: 16 } } });
  const own = await send(openai, { providerOptions: { openai: { maxToolCalls: 2, store: false } } });
  expect(own.units).toEqual({ web_search: 2, code_interpreter_session: 1 });
  expect(own.sent).toMatchObject({ providerOptions: { openai: { maxToolCalls: 2, store: false } } });
  expect((await send([{ type: "provider", id: "xai.web_search", args: {} }])).units).toEqual({
    web_search: 16,
  });
});

test.each(["previousResponseId", "conversation"])("%s stands for input that is elsewhere", async (name) => {
  const { model } = modelWith(OF_6);
  const params = { prompt, providerOptions: { openai: { [name]: "x_1" } } } as Params;
  await sluiceMiddleware({ gate }).wrapGenerate({ params, model });
  expect(asked).toMatchObject([{ estimate: { input_tokens: 128_000 } }]);
});

test("embeddings and pictures are charged by their usage", async () => {
  const embedding = governEmbeddings(
    {
      provider: "openai.embedding",
      modelId: "text-embedding-3-small",
      doEmbed: async (params: { values: string[] }) => ({ usage: { tokens: params.values.length * 3 + 1 } }),
    },
    { gate },
  );
  await embedding.doEmbed({ values: ["one", "two"] });
  const usage = { inputTokens: 5, outputTokens: 1000, totalTokens: 1005 };
  const picture = governImages(
    {
      provider: "openai.image",
      modelId: "gpt-image-1",
      doGenerate: async (params: { n: number; prompt: string }) => ({
        images: Array(params.n).fill("x"),
        usage,
      }),
    },
    { gate: unbounded },
  );
  await picture.doGenerate({ prompt: "a cat", n: 2 });
  expect(asked.map(({ estimate }) => estimate.max_output_tokens)).toEqual([0, 16_384]);
  expect(settled.map((run) => run.usage)).toEqual([
    { input_tokens: 7, output_tokens: 0 },
    { input_tokens: 5, output_tokens: 1000, image_output_tokens: 1000 },
  ]);
});

describe("the input of a picture that is edited", () => {
  const usage = { inputTokens: 90, outputTokens: 1000, totalTokens: 1090 };
  const edited = async (params: object, more: object) => {
    const model = {
      provider: "openai.image",
      modelId: "gpt-image-1",
      doGenerate: async (_params: object) => ({ images: ["x"], usage, ...more }),
    };
    await governImages(model, { gate: unbounded }).doGenerate({ prompt: "a cat", n: 1, ...params });
    return settled[0]?.usage;
  };
  const images = (counts: unknown[]) => ({
    openai: { images: counts.map((imageTokens) => ({ imageTokens })) },
  });

  test.each([
    ["by the tokens that the provider tells", { files: ["a"] }, images([30, 31]), 61],
    ["as pictures alone, where it does not tell them", { files: ["a"] }, {}, 90],
    ["as pictures alone, where it tells only some", { mask: "m" }, images([30, undefined]), 90],
    ["as text, where no picture came with it", {}, undefined, undefined],
  ])("is charged %s", async (_, params, providerMetadata, image_input_tokens) => {
    expect(await edited(params, { providerMetadata })).toEqual({
      input_tokens: 90,
      output_tokens: 1000,
      image_output_tokens: 1000,
      ...(image_input_tokens === undefined ? {} : { image_input_tokens }),
    });
  });

  test("is reserved for each file, and for its mask", async () => {
    await edited({ files: ["a", "b"], mask: "m" }, {});
    expect(asked[0]?.estimate.input_tokens).toBeGreaterThanOrEqual(3 * 8192);
  });
});

describe("a caller that aborts a stream", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const GRACE_MS = 500;
  const FINISH = { type: "finish", usage: OF_6 };

  /** A model that begins its stream after a while, and ends it after another, unless it is stopped. */
  function slow(beginsMs: number, endsMs: number, onLeave: "stop" | "finish" = "stop") {
    const stopped: boolean[] = [];
    const doStream = (params: Params) =>
      new Promise<{ stream: ReadableStream<{ type: string }> }>((resolve, reject) => {
        const stream = new ReadableStream<{ type: string }>({
          start: (controller) => {
            setTimeout(() => (controller.enqueue(FINISH), controller.close()), beginsMs + endsMs);
            params.abortSignal?.addEventListener("abort", () => controller.error(new Error("stopped")));
          },
        });
        params.abortSignal?.addEventListener(
          "abort",
          () => (stopped.push(true), reject(new Error("stopped"))),
        );
        setTimeout(() => resolve({ stream }), beginsMs);
      });
    const caller = new AbortController();
    const model = { ...modelWith(OF_6).model, doStream };
    const middleware = sluiceMiddleware({ gate, leaveGraceMs: GRACE_MS, onLeave });
    const begun = middleware.wrapStream({ params: { prompt, abortSignal: caller.signal }, model });
    begun.catch(() => undefined);
    return { begun, stopped, abort: () => caller.abort(new Error("gone")) };
  }

  test("before it begins has it stopped after the grace, at the price of its input", async () => {
    const { begun, stopped, abort } = slow(3_600_000, 0);
    await vi.advanceTimersByTimeAsync(1);
    abort();
    await expect(begun).rejects.toThrow("gone");
    await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
    expect([stopped, settled]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(stopped).toEqual([true]);
    expect(settled).toMatchObject([{ outcome: "cancelled", estimated: true, usage: { output_tokens: 0 } }]);
    expect(settled[0]?.usage?.input_tokens).toBeGreaterThan(0);
  });

  test("that has begun has it stopped after the grace, and not before", async () => {
    const { begun, stopped, abort } = slow(0, 3_600_000);
    await vi.advanceTimersByTimeAsync(1);
    await begun;
    abort();
    await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
    expect([stopped, settled]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(stopped).toEqual([true]);
    expect(settled).toMatchObject([{ outcome: "cancelled", estimated: true }]);
  });

  test.each([
    ["whose usage comes within the grace", 0, GRACE_MS - 10, "stop"],
    ["that began within the grace, and ends in another", GRACE_MS - 10, GRACE_MS - 10, "stop"],
    ["that is read to its end", 0, 10 * GRACE_MS, "finish"],
    ["that begins late, and is read to its end", 10 * GRACE_MS, 10 * GRACE_MS, "finish"],
  ] as const)("%s pays by its usage", async (_, beginsMs, endsMs, onLeave) => {
    const { begun, abort } = slow(beginsMs, endsMs, onLeave);
    await vi.advanceTimersByTimeAsync(1);
    if (beginsMs === 0) await begun;
    abort();
    await vi.advanceTimersByTimeAsync(beginsMs + endsMs + 10);
    expect(settled).toMatchObject([{ outcome: "completed", usage: { output_tokens: 30 } }]);
  });
});
