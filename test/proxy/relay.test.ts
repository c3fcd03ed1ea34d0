import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { begin } from "../../src/adapters/governed-call.ts";
import type { CallGate, GovernedCall } from "../../src/adapters/governed-call.ts";
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

const gate: CallGate = {
  decide: async () => ({ outcome: "allow", reservation_id: null, trace: "t" }) as never,
  settle: () => undefined,
  release: async () => undefined,
  flush: async () => undefined,
};

async function relayed(
  contentType: string,
  isNative: boolean,
): Promise<{ text: string; call: GovernedCall }> {
  const ask = { estimate: { model: "m", input_tokens: 1, output_tokens: 1 } };
  const call = await begin({ gate, ask, expected: null });
  const answer = await relay({
    call,
    provider: { url: "http://provider.test", key: "k" },
    watch: new Watch(60_000, 60_000),
    gone: new AbortController().signal,
    isNative,
    send: async () => new Response("data: {}\n\n", { headers: { "content-type": contentType } }),
  });
  return { text: await (answer as Response).text(), call };
}

describe("an answer of the provider", () => {
  test.each([
    ["text/event-stream; charset=utf-8", true, 1],
    ["text/event-stream", false, 0],
    ["application/octet-stream", true, 0],
    ["application/json", true, 0],
  ])("%s, native %s: the runtime passes on %i", async (contentType, isNative, expected) => {
    const { text, call } = await relayed(contentType, isNative);
    expect(text).toBe("data: {}\n\n");
    await call.ended;
    expect(passedOn).toBe(expected);
  });
});
