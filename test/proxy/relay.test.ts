import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { begin, type CallGate } from "../../src/adapters/governed-call.ts";
import { openAiChat } from "../../src/providers/apis/openai-chat.ts";
import { openai } from "../../src/providers/openai.ts";
import { meter, meteringFrom } from "../../src/providers/metering.ts";
import { relay } from "../../src/proxy/relay.ts";
import { Watch } from "../../src/proxy/watch.ts";

interface Settled {
  readonly outcome?: string | undefined;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

let settled: Settled[] = [];
beforeEach(() => (settled = []));

const gate: CallGate = {
  decide: async () => ({ decision: "allow", reservation: null }) as never,
  settle: (_, run) => void settled.push(run),
  release: async () => undefined,
  knownFacts: null,
};

const BODY = { model: "gpt-4o", stream: true, max_tokens: 100, messages: [] };
const STREAM = { "content-type": "text/event-stream" };
const event = (text: string) =>
  new TextEncoder().encode(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);

interface Given {
  readonly graceMs?: number;
  readonly readsToEnd?: boolean;
  readonly silenceMs?: number;
  readonly asked?: Record<string, unknown>;
  readonly caller?: AbortController;
  /** What the provider does. The signal fires when it is stopped. */
  readonly send: (signal: AbortSignal) => Promise<Response>;
}

/** A call whose answer has not come yet. */
async function sent(given: Given) {
  const { graceMs = 0, readsToEnd = false, silenceMs = 60_000, asked = BODY, send } = given;
  const { caller = new AbortController() } = given;
  const request = openAiChat.readRequest(asked, {
    pathModel: null,
    headers: new Headers(),
    query: new URLSearchParams(),
    facts: (model) => openai.facts(model),
  });
  const metered = meter(request, openai.facts("gpt-4o"), meteringFrom({}));
  const call = await begin({ gate, ask: { model: "gpt-4o", estimate: metered.estimate }, metered });
  const watch = new Watch(silenceMs, 3_600_000);
  onTestFinished(() => watch.end());
  const answered = relay({
    call,
    api: openAiChat,
    keyOf: "proxy",
    secrets: ["k"],
    model: "gpt-4o",
    maxOutputTokens: null,
    showsUsageEvent: false,
    leave: { graceMs, readsToEnd },
    watch,
    gone: caller.signal,
    send: () => send(watch.signal),
  });
  return { answered, call, caller, watch };
}

async function relayed({ body, ...given }: Omit<Given, "send"> & { readonly body: BodyInit }) {
  const { answered, ...rest } = await sent({
    ...given,
    send: async () => new Response(body, { headers: STREAM }),
  });
  return { answer: (await answered).answer as Response, ...rest };
}

describe("an answer of the provider", () => {
  test("that is silent ends after the grace, when its caller has left", async () => {
    const { call, caller, watch } = await relayed({ body: new ReadableStream() });
    caller.abort();
    await call.ended;
    expect(settled).toMatchObject([{ outcome: "cancelled" }]);
    await expect.poll(() => watch.signal.aborted).toBe(true);
  });

  test.each([
    ["when its caller has left was cancelled", true, "cancelled"],
    ["before that has failed", false, "failed"],
  ])("that breaks off %s", async (_, hasLeft, outcome) => {
    const { readable, writable } = new TransformStream<Uint8Array>();
    const body = new Response(readable).body ?? "";
    const { answer, call, caller } = await relayed({ body, graceMs: 60_000 });
    if (hasLeft) caller.abort();
    await writable.abort(new Error("broken off"));
    if (!hasLeft) await expect(answer.text()).rejects.toThrow();
    await call.ended;
    expect(settled).toMatchObject([{ outcome }]);
  });

  test.each([
    ["within the grace", { graceMs: 60_000 }],
    ["however long it takes, where it is read to its end", { readsToEnd: true }],
  ])("is read on to its usage %s", async (_, policy) => {
    let write: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (write = controller) });
    const { answer, call, caller } = await relayed({ body, ...policy });
    write?.enqueue(event("one"));
    await answer.body?.getReader().read();
    caller.abort();
    // Longer than a grace that is none.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const usage = { prompt_tokens: 5, completion_tokens: 77 };
    write?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ choices: [], usage })}\n\n`));
    write?.enqueue(new TextEncoder().encode("data: [DONE]\n\n"));
    await call.ended;
    expect(settled).toMatchObject([{ outcome: "completed", usage: { output_tokens: 77 } }]);
  });

  test("that never pauses ends after the grace, too, when its caller has left", async () => {
    const endsAt = Date.now() + 3000;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (Date.now() < endsAt ? controller.enqueue(event("x")) : controller.close()),
    });
    const { call, caller } = await relayed({ body, graceMs: 20 });
    caller.abort();
    await call.ended;
    expect(settled).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("shows no event with the usage to a caller that did not ask for it, and counts by it", async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}\n\n';
    const shown = `${new TextDecoder().decode(event("hi"))}data: [DONE]\n\n`;
    const { answer, call } = await relayed({ body: shown.replace("data: [DONE]", `${usage}data: [DONE]`) });
    expect(await answer.text()).toBe(shown);
    await call.ended;
    expect(settled).toMatchObject([{ usage: { input_tokens: 5, output_tokens: 7 } }]);
  });

  test("goes on after pieces of which its caller is shown nothing", async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}\n\n';
    const pieces = ["data: {", "}\n\n", usage.slice(0, 20), usage.slice(20), usage, "data: [DONE]\n\n"];
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    const { answer, call } = await relayed({ body });
    expect(await answer.text()).toBe("data: {}\n\ndata: [DONE]\n\n");
    await call.ended;
    expect(settled).toMatchObject([{ outcome: "completed", usage: { output_tokens: 7 } }]);
  });
});

/** Answers never, unless it is stopped. */
const silent = (signal: AbortSignal): Promise<Response> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

const USAGE = { prompt_tokens: 5, completion_tokens: 77 };
const END = `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`;
const encode = (text: string) => new TextEncoder().encode(text);

/** Answers after a while, and ends after another one unless it is stopped. */
const late =
  (answersMs: number, endsMs: number, answer: (last: string) => string, headers: HeadersInit) =>
  async (signal: AbortSignal): Promise<Response> => {
    await new Promise((resolve) => setTimeout(resolve, answersMs));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        signal.addEventListener("abort", () => controller.error(signal.reason));
        setTimeout(() => {
          controller.enqueue(encode(answer(END)));
          controller.close();
        }, endsMs);
      },
    });
    return new Response(body, { headers });
  };

describe("a caller that leaves before the answer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("of a stream has it stopped after the grace, and pays for its input", async () => {
    const { answered, caller, watch } = await sent({ graceMs: 500, send: silent });
    caller.abort();
    await vi.advanceTimersByTimeAsync(499);
    expect([watch.hasStopped, settled]).toEqual([false, []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(watch.hasStopped).toBe(true);
    expect((await answered).answer).toMatchObject({ code: "bad_gateway" });
    expect(settled).toMatchObject([{ outcome: "cancelled", estimated: true }]);
    expect(settled[0]?.usage.input_tokens).toBeGreaterThan(0);
  });

  test("that had left when it was sent is no other", async () => {
    const caller = new AbortController();
    caller.abort();
    const { call, watch } = await sent({ graceMs: 500, caller, send: silent });
    await vi.advanceTimersByTimeAsync(500);
    await call.ended;
    expect(watch.hasStopped).toBe(true);
  });

  test.each([
    ["of a stream that is read to its end", { readsToEnd: true }],
    ["of an answer that is no stream", { asked: { ...BODY, stream: false } }],
  ])("%s is not heeded", async (_, given) => {
    const { caller, watch } = await sent({ graceMs: 500, ...given, send: silent });
    caller.abort();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([watch.hasStopped, settled]).toEqual([false, []]);
  });

  test("of a stream that begins within the grace gives it the grace of a stream", async () => {
    const send = late(400, 300, (end) => end, STREAM);
    const { answered, caller } = await sent({ graceMs: 500, send });
    caller.abort();
    await vi.advanceTimersByTimeAsync(1000);
    await answered;
    expect(settled).toMatchObject([{ outcome: "completed", usage: { output_tokens: 77 } }]);
  });

  test("of an answer that is no stream has it read to its end", async () => {
    const whole = () => JSON.stringify({ choices: [], usage: USAGE });
    const send = late(400, 5000, whole, { "content-type": "application/json" });
    const { caller } = await sent({ graceMs: 500, asked: { ...BODY, stream: false }, send });
    caller.abort();
    await vi.advanceTimersByTimeAsync(6000);
    expect(settled).toMatchObject([{ outcome: "completed", usage: { output_tokens: 77 } }]);
  });
});

describe("a provider", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("that is silent is stopped, and what it may bill is charged", async () => {
    const { answered } = await sent({ silenceMs: 100, send: silent });
    await vi.advanceTimersByTimeAsync(100);
    expect((await answered).answer).toMatchObject({ code: "bad_gateway" });
    expect(settled).toMatchObject([{ outcome: "unknown", estimated: true }]);
    expect(settled[0]?.usage.input_tokens).toBeGreaterThan(0);
    expect(settled[0]?.usage.output_tokens).toBeGreaterThan(0);
  });

  test("that cannot be reached costs nothing", async () => {
    const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    const { answered } = await sent({ send: () => Promise.reject(refused) });
    expect((await answered).answer).toMatchObject({ code: "bad_gateway" });
    expect(settled).toMatchObject([{ outcome: "failed", cost_usd: "0", usage: { input_tokens: 0 } }]);
  });

  test("that speaks now and then is not stopped, and one whose answer has ended is not watched", async () => {
    const pieces = async (signal: AbortSignal) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          signal.addEventListener("abort", () => controller.error(signal.reason));
          for (const at of [80, 160, 240]) setTimeout(() => controller.enqueue(event("x")), at);
          setTimeout(() => (controller.enqueue(encode(END)), controller.close()), 320);
        },
      });
      return new Response(body, { headers: STREAM });
    };
    const { answered, watch } = await sent({ silenceMs: 100, send: pieces });
    const text = ((await answered).answer as Response).text();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await text).toContain("[DONE]");
    expect(watch.hasStopped).toBe(false);
    expect(settled).toMatchObject([{ outcome: "completed", usage: { output_tokens: 77 } }]);
  });
});
