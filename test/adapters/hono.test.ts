import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { frameOf } from "../../scripts/stand-in/bedrock.ts";
import { govern, type SluiceVariables } from "../../src/adapters/hono.ts";
import type { CallGate } from "../../src/adapters/governed-call.ts";

/** The middleware around handlers that pass on answers of any provider. */

const EVENTS = "text/event-stream";
const RESERVED = { cost_usd: "9", estimated: true };

/** The charge of a call whose handler answers with this. */
async function charged(
  body: BodyInit,
  type: string,
  { writes = true, ...more }: { upstream?: string; writes?: boolean } = {},
) {
  const runs: Parameters<CallGate["settle"]>[1][] = [];
  const gate: CallGate = {
    decide: async () => ({ reservation: { id: "r", amount_usd: "9", max_output_tokens: 300 } }) as never,
    settle: (_, run) => void runs.push(run),
    release: async () => undefined,
    knownFacts: null,
  };
  const app = new Hono<{ Variables: SluiceVariables }>();
  // A model that shows all that it writes.
  const ask = () => ({
    provider: "openai",
    model: "gpt-4o",
    estimate: { input_tokens: 100, max_output_tokens: writes ? 300 : 0 },
  });
  app.use(govern({ gate, ask, ...more }));
  app.post("/", () => new Response(body, { headers: { "content-type": type } }));
  await (await app.request("/", { method: "POST" })).arrayBuffer();
  expect(runs).toHaveLength(1);
  return runs[0];
}

const json = (answer: object) => charged(JSON.stringify(answer), "application/json");
const eventsOf = (...events: object[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const framesOf = (...events: [string, object][]) =>
  Buffer.concat(
    events.map(([type, data]) => frameOf({ ":message-type": "event", ":event-type": type }, data)),
  );
const AWS = "application/vnd.amazon.eventstream";

const GEMINI = {
  candidates: [{ content: { parts: [{ text: "x" }] }, finishReason: "STOP" }],
  usageMetadata: {
    promptTokenCount: 40,
    candidatesTokenCount: 30,
    totalTokenCount: 70,
    promptTokensDetails: [{ modality: "AUDIO", tokenCount: 20 }],
  },
};
const CONVERSE = { inputTokens: 40, outputTokens: 30, totalTokens: 70 };
const COHERE = {
  billed_units: { input_tokens: 40, output_tokens: 30 },
  tokens: { input_tokens: 90, output_tokens: 30 },
};
const USED = { usage: { input_tokens: 40, output_tokens: 30 }, estimated: false };

describe("an answer is charged by its usage", () => {
  test.each([
    ["of Gemini", GEMINI],
    ["of Bedrock's Converse", { output: {}, stopReason: "end_turn", usage: CONVERSE }],
    ["of Cohere", { id: "c", message: { content: [] }, usage: COHERE }],
    ["of OpenAI", { choices: [], usage: { prompt_tokens: 40, completion_tokens: 30, total_tokens: 70 } }],
    [
      "of Anthropic",
      { content: [], usage: { input_tokens: 40, output_tokens: 30, cache_read_input_tokens: 0 } },
    ],
  ])("%s", async (_, answer) => {
    expect(await json(answer)).toMatchObject(USED);
  });

  test("with the classes of Gemini's", async () => {
    expect(await json(GEMINI)).toMatchObject({ usage: { audio_input_tokens: 20 } });
  });

  test.each([
    ["Cohere", { embeddings: [], meta: { billed_units: { input_tokens: 40 } } }],
    ["Titan", { embedding: [], inputTextTokenCount: 40 }],
    ["OpenAI", { data: [], usage: { prompt_tokens: 40, total_tokens: 40 } }],
  ])("of embeddings of %s", async (_, answer) => {
    const run = await charged(JSON.stringify(answer), "application/json", { writes: false });
    expect(run).toMatchObject({ usage: { input_tokens: 40, output_tokens: 0 }, estimated: false });
  });
});

describe("a stream is charged by its usage", () => {
  test.each([
    ["of Gemini", eventsOf({ candidates: [{ content: { parts: [{ text: "x" }] } }] }, GEMINI), EVENTS],
    [
      "of Cohere",
      eventsOf(
        { type: "content-delta", delta: { message: { content: { text: "x" } } } },
        { type: "message-end", delta: { usage: COHERE } },
      ),
      EVENTS,
    ],
    [
      "of Bedrock's Converse",
      framesOf(["contentBlockDelta", { delta: { text: "x" } }], ["metadata", { usage: CONVERSE }]),
      AWS,
    ],
  ])("%s", async (_, body, type) => {
    expect(await charged(body, type)).toMatchObject(USED);
  });

  test.each([
    ["of Gemini", eventsOf({ candidates: [{ content: { parts: [{ text: "x".repeat(40) }] } }] }), EVENTS],
    [
      "of Cohere",
      eventsOf({ type: "content-delta", delta: { message: { content: { text: "x".repeat(40) } } } }),
      EVENTS,
    ],
    ["of Bedrock's Converse", framesOf(["contentBlockDelta", { delta: { text: "x".repeat(40) } }]), AWS],
  ])("%s, and by its text where that does not come", async (_, body, type) => {
    expect(await charged(body, type)).toMatchObject({ usage: { output_tokens: 41 }, estimated: true });
  });
});

describe("an answer of no known shape is charged at what was reserved", () => {
  test.each([
    ["whole", JSON.stringify({ text: "x", tokens: { in: 1 } }), "application/json"],
    ["as text", "done", "text/plain"],
    ["as events", eventsOf({ type: "text-delta", delta: "x" }, { type: "finish" }), EVENTS],
    ["as events without a type", eventsOf({ output: "x" }), EVENTS],
    ["as frames", framesOf(["somethingElse", { text: "x" }]), AWS],
  ])("%s", async (_, body, type) => {
    expect(await charged(body, type)).toMatchObject(RESERVED);
  });
});

describe("the address that a handler calls", () => {
  test("says how its answers are read", async () => {
    const upstream = "https://api.cohere.com/v2/chat";
    const type = "application/json";
    expect(await charged(JSON.stringify({ usage: COHERE }), type, { upstream })).toMatchObject(USED);
    // What another API would take for a usage is none of this one's.
    const other = JSON.stringify({ usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } });
    expect(await charged(other, type, { upstream })).toMatchObject(RESERVED);
  });

  test("must be one that is metered", () => {
    const options = { gate: {} as CallGate, ask: () => ({ estimate: {} }) };
    expect(() => govern({ ...options, upstream: "https://api.cohere.com/v1/rerank" })).toThrow(/metered/);
  });
});
