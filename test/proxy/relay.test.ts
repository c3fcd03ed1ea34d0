import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { begin } from "../../src/adapters/governed-call.ts";
import type { CallGate } from "../../src/adapters/governed-call.ts";
import { relay } from "../../src/proxy/relay.ts";
import { Watch } from "../../src/proxy/watch.ts";

/** How many bodies the runtime was told to pass on by itself. */
let passedOn = 0;

beforeEach(() => {
  passedOn = 0;
  vi.stubGlobal(
    "IdentityTransformStream",
    class extends TransformStream {
      constructor() {
        super();
        passedOn += 1;
      }
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

let outcomes: unknown[] = [];
beforeEach(() => (outcomes = []));

const gate: CallGate = {
  decide: async () => ({ outcome: "allow", reservation_id: null, trace: "t" }) as never,
  settle: (_, { outcome }) => outcomes.push(outcome),
  release: async () => undefined,
  flush: async () => undefined,
};

interface Given {
  readonly contentType: string;
  readonly isNative: boolean;
  readonly body?: BodyInit;
}

async function relayed({ contentType, isNative, body = "data: {}\n\n" }: Given) {
  const ask = { estimate: { cost_usd: "0.01", input_tokens: 1, output_tokens: 1 } };
  const call = await begin({ gate, ask, expected: null });
  const caller = new AbortController();
  const watch = new Watch(60_000, 60_000);
  onTestFinished(() => watch.end());
  const answer = await relay({
    call,
    provider: { url: "http://provider.test", key: "k" },
    watch,
    gone: caller.signal,
    isNative,
    send: async () => new Response(body, { headers: { "content-type": contentType } }),
  });
  return { answer: answer as Response, call, caller, watch };
}

describe("an answer of the provider", () => {
  test.each([
    ["text/event-stream; charset=utf-8", true, 1],
    ["text/event-stream", false, 0],
    ["application/octet-stream", true, 0],
    ["application/json", true, 0],
  ])("%s, native %s: the runtime passes on %i", async (contentType, isNative, expected) => {
    const { answer, call } = await relayed({ contentType, isNative });
    expect(await answer.text()).toBe("data: {}\n\n");
    await call.ended;
    expect(passedOn).toBe(expected);
  });

  test.each([true, false])("of a silent provider ends with its caller, native %s", async (isNative) => {
    const body = new ReadableStream({ type: "bytes" });
    const { call, caller, watch } = await relayed({ contentType: "text/event-stream", isNative, body });
    caller.abort();
    await call.ended;
    expect(outcomes).toEqual(["cancelled"]);
    await vi.waitFor(() => expect(watch.signal.aborted).toBe(true));
  });

  test.each([
    ["when its caller has left was cancelled", true, "cancelled"],
    ["before that has failed", false, "failed"],
  ])("that breaks off %s", async (_, hasLeft, outcome) => {
    const { readable, writable } = new TransformStream<Uint8Array>();
    const body = new Response(readable).body ?? "";
    const { answer, call, caller } = await relayed({
      contentType: "text/event-stream",
      isNative: true,
      body,
    });
    if (hasLeft) caller.abort();
    await writable.abort(new Error("broken off"));
    if (!hasLeft) await expect(answer.text()).rejects.toThrow();
    await call.ended;
    expect(outcomes).toEqual([outcome]);
  });
});
