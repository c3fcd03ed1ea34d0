import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { begin, type CallGate } from "../../src/adapters/governed-call.ts";
import { openAiChat } from "../../src/providers/apis/openai-chat.ts";
import { openai } from "../../src/providers/openai.ts";
import { meter, meteringFrom } from "../../src/providers/metering.ts";
import { relay } from "../../src/proxy/relay.ts";
import { Watch } from "../../src/proxy/watch.ts";

interface Settled {
  readonly outcome?: string | undefined;
  readonly usage: { readonly output_tokens: number };
}

let settled: Settled[] = [];
beforeEach(() => (settled = []));

const gate: CallGate = {
  decide: async () => ({ decision: "allow", reservation: null }) as never,
  settle: (_, run) => void settled.push(run),
  release: async () => undefined,
  flush: async () => undefined,
  knownFacts: null,
};

const BODY = { model: "gpt-4o", stream: true, max_tokens: 100, messages: [] };
const STREAM = { "content-type": "text/event-stream" };
const event = (text: string) =>
  new TextEncoder().encode(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);

interface Given {
  readonly body: BodyInit;
  readonly graceMs?: number;
  readonly readsToEnd?: boolean;
}

async function relayed({ body, graceMs = 0, readsToEnd = false }: Given) {
  const request = openAiChat.readRequest(BODY, {
    pathModel: null,
    query: new URLSearchParams(),
    facts: (model) => openai.facts(model),
  });
  const metered = meter(request, openai.facts("gpt-4o"), meteringFrom({}));
  const call = await begin({ gate, ask: { model: "gpt-4o", estimate: metered.estimate }, metered });
  const caller = new AbortController();
  const watch = new Watch(60_000, 60_000);
  onTestFinished(() => watch.end());
  const answer = await relay({
    call,
    api: openAiChat,
    keyOf: "proxy",
    secrets: ["k"],
    maxOutputTokens: null,
    showsUsageEvent: false,
    leave: { graceMs, readsToEnd },
    watch,
    gone: caller.signal,
    send: async () => new Response(body, { headers: STREAM }),
  });
  return { answer: answer as Response, call, caller, watch };
}

describe("an answer of the provider", () => {
  test("that is silent ends after the grace, when its caller has left", async () => {
    const { call, caller, watch } = await relayed({ body: new ReadableStream() });
    caller.abort();
    await call.ended;
    expect(settled).toMatchObject([{ outcome: "cancelled" }]);
    await vi.waitFor(() => expect(watch.signal.aborted).toBe(true));
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

  test("shows no event with the usage to a caller that did not ask for it, and counts by it", async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}\n\n';
    const shown = `${new TextDecoder().decode(event("hi"))}data: [DONE]\n\n`;
    const { answer, call } = await relayed({ body: shown.replace("data: [DONE]", `${usage}data: [DONE]`) });
    expect(await answer.text()).toBe(shown);
    await call.ended;
    expect(settled).toMatchObject([{ usage: { input_tokens: 5, output_tokens: 7 } }]);
  });
});
