import { describe, expect, test } from "vitest";
import { governedAi, type GovernedAiOptions } from "../../src/adapters/workers-ai.ts";
import { createGate } from "../../src/client/gate/index.ts";
import { refuse } from "../../src/contract/refusal.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

const MODEL = "@cf/meta/llama-3.1-8b-instruct";
const USAGE = { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 };
const CAP = refuse("spend_cap_exceeded", {
  cap_usd: "1",
  spent_usd: "1",
  resets_at: "2026-01-01T00:00:00+00:00",
});

interface Called {
  readonly model: string;
  readonly inputs: { readonly max_tokens?: number; readonly max_completion_tokens?: number };
}

class Ai {
  readonly called: Called[] = [];
  #answer: (model: string) => unknown;

  constructor(answer: (model: string) => unknown) {
    this.#answer = answer;
  }

  async run(model: string, inputs: object): Promise<unknown> {
    this.called.push({ model, inputs });
    return this.#answer(model);
  }

  models(): readonly string[] {
    return this.called.map(({ model }) => model);
  }
}

function governed(answer: (model: string) => unknown, more: Partial<GovernedAiOptions> = {}) {
  const service = new SmallService();
  const gate = createGate({ binding: service, key: SMALL_KEY });
  const ai = new Ai(answer);
  return { service, gate, ai, run: governedAi(ai, { gate, ...more }) };
}

const encode = (text: string) => new TextEncoder().encode(text);
const streamOf = (events: readonly object[]) =>
  new ReadableStream({
    start(controller) {
      for (const event of events) controller.enqueue(encode(`data: ${JSON.stringify(event)}\n\n`));
      controller.enqueue(encode("data: [DONE]\n\n"));
      controller.close();
    },
  });

describe("Workers AI", () => {
  test("is below the span of the request that it is called for", async () => {
    const { gate } = governed(() => null);
    const traces: unknown[] = [];
    const told: GovernedAiOptions["gate"] = {
      decide: async (ask, options) => (traces.push(options?.traceparent), gate.decide(ask, options)),
      settle: (allowed, run) => (traces.push(run.traceparent), gate.settle(allowed, run)),
      release: (allowed) => gate.release(allowed),
      knownFacts: {
        checks: "limits",
        countedBy: new Set(),
        scansInput: false,
        sendsSpans: true,
        fallbacks: null,
      },
    };
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const ai = governedAi(new Ai(() => ({ response: "Hi", usage: USAGE })), { gate: told, traceparent });
    await ai.run(MODEL, { prompt: "hello" });
    expect(traces).toEqual([traceparent, traceparent]);
  });

  test("is asked for, bounded, and charged by its usage", async () => {
    const { service, gate, ai, run } = governed(() => ({ response: "Hi", usage: USAGE }), {
      ask: { customer_id: "acme" },
    });
    expect(await run.run(MODEL, { prompt: "hello" })).toEqual({ response: "Hi", usage: USAGE });
    await gate.flush();
    expect(service.asks).toMatchObject([{ model: MODEL, provider: "cloudflare", customer_id: "acme" }]);
    expect(ai.called[0]?.inputs).toMatchObject({ max_tokens: 256, max_completion_tokens: 256 });
    expect(service.runs).toMatchObject([
      {
        model: MODEL,
        provider: "cloudflare",
        usage: { input_tokens: 4, output_tokens: 3 },
        estimated: false,
      },
    ]);
    expect([service.open.size, run.models()]).toEqual([0, [MODEL]]);
  });

  test.each([
    ["in its own form", { response: "Hi" }, { response: "", usage: USAGE }],
    [
      "with the usage so far",
      { response: "Hi", usage: { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 } },
      { response: "", usage: USAGE },
    ],
    ["in OpenAI's form", { choices: [{ delta: { content: "Hi" } }] }, { choices: [], usage: USAGE }],
  ])("streams %s, and is charged at the end", async (_, first, last) => {
    const { service, gate, run } = governed(() => streamOf([first, last]));
    const stream = (await run.run(MODEL, { messages: [], stream: true, max_tokens: 50 })) as ReadableStream;
    expect(await new Response(stream).text()).toContain("[DONE]");
    await gate.flush();
    expect(service.runs).toMatchObject([
      { usage: { input_tokens: 4, output_tokens: 3 }, outcome: "completed" },
    ]);
  });

  const REASONING = "@cf/openai/gpt-oss-120b";

  test.each([
    ["none, with a model that reasons", REASONING, {}, {}, 16_384, 16_384],
    ["none, and one of the options", MODEL, {}, { defaultMaxOutputTokens: 900 }, 900, 900],
    ["one", MODEL, { max_tokens: 50 }, {}, 50, 50],
    ["the other one", MODEL, { max_completion_tokens: 50 }, {}, 50, 50],
    ["both", MODEL, { max_tokens: 50, max_completion_tokens: 90 }, {}, 90, 90],
    ["one for each of several answers", MODEL, { max_tokens: 50, n: 4 }, {}, 200, 50],
  ])(
    "is bounded by both names, where a call has %s",
    async (_, model, bounds, options, reserved, written) => {
      const { service, gate, ai, run } = governed(() => ({ response: "Hi", usage: USAGE }), options);
      await run.run(model, { prompt: "hello", ...bounds });
      await gate.flush();
      expect(service.asks).toMatchObject([{ estimate: { max_output_tokens: reserved } }]);
      expect(ai.called[0]?.inputs).toMatchObject({ max_tokens: written, max_completion_tokens: written });
    },
  );

  test.each([
    ["its text, if its model does not reason", MODEL, { usage: { output_tokens: 41 } }],
    ["what was reserved, if it may", REASONING, { cost_usd: "1.00" }],
    ["what was reserved, if nobody knows the model", "@cf/acme/new", { cost_usd: "1.00" }],
  ])("streams without a usage at the price of %s", async (_, model, charge) => {
    const { service, gate, run } = governed(() => streamOf([{ response: "x".repeat(40) }]));
    const stream = (await run.run(model, { prompt: "hello", stream: true })) as ReadableStream;
    await new Response(stream).text();
    await gate.flush();
    expect(service.runs).toMatchObject([{ ...charge, estimated: true }]);
  });

  const SO_FAR = { response: "Hi", usage: { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 } };

  test("that told its usage so far is charged by its end, also if the reader leaves before", async () => {
    const { service, gate, run } = governed(() => streamOf([SO_FAR, { response: "", usage: USAGE }]));
    const stream = (await run.run(MODEL, { messages: [], stream: true, max_tokens: 50 })) as ReadableStream;
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    await gate.flush();
    expect(service.runs).toMatchObject([{ usage: { input_tokens: 4, output_tokens: 3 }, estimated: false }]);
  });

  test("that breaks off is not charged by its usage so far", async () => {
    const broken = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(encode(`data: ${JSON.stringify(SO_FAR)}\n\n`)),
        pull: (controller) => controller.error(new Error("gone")),
      });
    const { service, gate, run } = governed(broken);
    const stream = (await run.run(MODEL, { messages: [], stream: true, max_tokens: 50 })) as ReadableStream;
    await expect(new Response(stream).text()).rejects.toThrow("gone");
    await gate.flush();
    expect(service.runs).toHaveLength(1);
    expect(service.runs[0]).toMatchObject({ estimated: true });
  });

  test("of an answer that tells no usage is charged what was reserved", async () => {
    const { service, gate, run } = governed(() => ({ data: [[0.1]] }));
    await run.run("@cf/baai/bge-m3", { text: ["hello"] });
    await gate.flush();
    expect(service.asks[0]).toMatchObject({ estimate: { max_output_tokens: 0 } });
    expect(service.runs).toMatchObject([{ cost_usd: "1.00", estimated: true }]);
  });

  test("is not called where a limit refuses, and charged nothing where it fails", async () => {
    const refused = governed(() => ({}));
    refused.service.judge = () => CAP;
    await expect(refused.run.run(MODEL, { prompt: "x" })).rejects.toMatchObject({
      code: "spend_cap_exceeded",
    });
    expect(refused.ai.called).toEqual([]);
    const failing = governed(() => {
      throw new Error("3040: capacity");
    });
    await expect(failing.run.run(MODEL, { prompt: "x" })).rejects.toThrow("capacity");
    await failing.gate.flush();
    expect([failing.service.runs[0]?.["cost_usd"], failing.service.open.size]).toEqual(["0", 0]);
  });

  test("goes on to the next model by a fallback, which is priced by its own name", async () => {
    const { service, gate, ai, run } = governed(() => ({ response: "Hi", usage: USAGE }), {
      ask: { model: MODEL },
    });
    service.rules = [
      { name: "small", then: [{ model: "@cf/small", provider: null }], on: ["limit"], begins: false },
    ];
    service.judge = ({ model }) => (model === MODEL ? CAP : null);
    await run.run(MODEL, { prompt: "x" });
    await gate.flush();
    expect(ai.models()).toEqual(["@cf/small"]);
    expect(service.runs).toMatchObject([{ model: "@cf/small", requested_model: MODEL }]);
  });

  test.each([
    [{ prompt: "x" }, { returnRawResponse: true }],
    [{ prompt: "x" }, { websocket: true }],
    [{ prompt: "x" }, { queueRequest: true }],
    [{ requests: [{ prompt: "x" }] }, {}],
    [{ audio: [1, 2] }, {}],
    [{ prompt: "x", max_tokens: -1 }, {}],
    [{ prompt: "x", n: 0 }, {}],
    [{ prompt: "x", image: [1, 2] }, {}],
    [{ text: "x", target_lang: "fr" }, {}],
    [{ prompt: "x", unheard_of: true }, {}],
    ["x", {}],
  ])("is not called with %j %j", async (inputs, options) => {
    const { ai, service, run } = governed(() => ({}));
    await expect(
      (run as { run: (...all: unknown[]) => Promise<unknown> }).run(MODEL, inputs, options),
    ).rejects.toThrow();
    expect([ai.called, service.asks]).toEqual([[], []]);
  });
});
