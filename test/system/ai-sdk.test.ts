import { createOpenAI } from "@ai-sdk/openai";
import { generateText, streamText, wrapLanguageModel } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StandIn } from "../../scripts/stand-in/server.ts";
import { sluiceMiddleware } from "../../src/adapters/ai-sdk.ts";
import { type Governed, governed, PROVIDER_KEY, startProvider } from "../support/governed.ts";

/** The AI SDK with the middleware, before a stand-in for OpenAI. */

let provider: StandIn;
let slow: StandIn;

beforeAll(async () => {
  provider = await startProvider();
  slow = await startProvider(10);
});
afterAll(() => Promise.all([provider.close(), slow.close()]));

function modelOf({ gate }: Governed, { url, key = PROVIDER_KEY } = { ...provider, key: PROVIDER_KEY }) {
  const openai = createOpenAI({ apiKey: key, baseURL: `${url}/v1` });
  const middleware = sluiceMiddleware({ gate, ask: { workflow_id: "docs" } });
  return wrapLanguageModel({ model: openai.chat("gpt-4o-mini"), middleware });
}

test("a stream that is aborted is settled by what it has said", async () => {
  const org = await governed();
  const stop = new AbortController();
  const model = modelOf(org, { ...slow, key: PROVIDER_KEY });
  const { textStream } = streamText({
    model,
    prompt: "5000 words",
    abortSignal: stop.signal,
    onError: () => undefined,
  });
  let read = 0;
  for await (const text of textStream) {
    if (text !== "") read += 1;
    if (read === 7) stop.abort();
  }
  const [run] = await org.runs(1);
  expect(run).toMatchObject({ outcome: "cancelled", estimated: true });
  expect(run?.["usage"].output_tokens).toBeGreaterThanOrEqual(7);
  await expect.poll(() => slow.served.at(-1)?.ended).toBe("cut");
});

test("what the provider refuses costs nothing", async () => {
  const org = await governed();
  const model = modelOf(org, { ...provider, key: "sk-wrong" });
  await expect(generateText({ model, prompt: "hi" })).rejects.toMatchObject({ statusCode: 401 });
  const [run] = await org.runs(1);
  expect(run).toMatchObject({ outcome: "failed", cost_usd: "0.00" });
});

test("a refusal is thrown as it is, and the provider is not called", async () => {
  const org = await governed("0");
  const before = provider.served.length;
  const refusal = { name: "Refused", code: "budget_exceeded", status: 402, details: { limit_usd: "0.00" } };
  await expect(generateText({ model: modelOf(org), prompt: "hi" })).rejects.toMatchObject(refusal);
  const errors: unknown[] = [];
  const streamed = streamText({
    model: modelOf(org),
    prompt: "hi",
    onError: ({ error }) => void errors.push(error),
  });
  await streamed.consumeStream();
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject(refusal);
  expect(provider.served).toHaveLength(before);
});
