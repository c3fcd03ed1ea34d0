import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk";
import OpenAI, { APIError } from "openai";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StandIn } from "../../scripts/stand-in/server.ts";
import { governedFetch } from "../../src/adapters/fetch.ts";
import { type Governed, governed, PROVIDER_KEY, startProvider } from "../support/governed.ts";

/** The SDKs of OpenAI and Anthropic with the governed `fetch`, before a stand-in that streams as they expect. */

let provider: StandIn;
let slow: StandIn;

beforeAll(async () => {
  provider = await startProvider();
  slow = await startProvider(10);
});
afterAll(() => Promise.all([provider.close(), slow.close()]));

const clientOf = ({ gate }: Governed, { url } = provider): OpenAI =>
  new OpenAI({
    apiKey: PROVIDER_KEY,
    baseURL: `${url}/v1`,
    fetch: governedFetch({ gate, ask: { customer_id: "cust-1", tags: { team: "search" } } }),
  });

const anthropicOf = ({ gate }: Governed, { url } = provider): Anthropic =>
  new Anthropic({ apiKey: PROVIDER_KEY, baseURL: url, fetch: governedFetch({ gate }) });

const model = "gpt-4o-mini";
const claude = "claude-sonnet-4-5";
const messages = [{ role: "user" as const, content: "20 words" }];

describe("with OpenAI's SDK", () => {
  test("a chat completion is priced by the provider's usage and recorded for whom it was", async () => {
    const org = await governed();
    const content = `cached 20 words ${"of this long text ".repeat(60)}`;
    const made = await clientOf(org).chat.completions.create({
      model,
      messages: [{ role: "user", content }],
    });
    const [run] = await org.runs(1);
    expect(run).toMatchObject({
      model,
      provider: "openai",
      customer_id: "cust-1",
      tags: { team: "search" },
      outcome: "completed",
      estimated: false,
      usage: {
        input_tokens: made.usage?.prompt_tokens,
        output_tokens: 20,
        cache_read_tokens: made.usage?.prompt_tokens_details?.cached_tokens,
      },
      cost_source: "price_book",
    });
    expect(Number(run?.["cost_usd"])).toBeGreaterThan(0);
    await expect.poll(org.reserved).toBe("0.00");
  });

  test("a stream is settled by its usage, also if its caller did not ask for that", async () => {
    const org = await governed();
    const client = clientOf(org);
    for (const options of [{ stream_options: { include_usage: true } }, {}]) {
      const stream = await client.chat.completions.create({ model, messages, stream: true, ...options });
      let text = "";
      let usages = 0;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        if (chunk.usage) usages += 1;
      }
      expect(text.split(" ")).toHaveLength(20);
      expect(usages).toBe("stream_options" in options ? 1 : 0);
    }
    for await (const event of await client.responses.create({ model, input: "20 words", stream: true }))
      void event;
    const [told, untold, response] = await org.runs(3);
    expect(told).toMatchObject({ usage: { output_tokens: 20 }, estimated: false, outcome: "completed" });
    expect(untold).toMatchObject({ usage: { output_tokens: 20 }, estimated: false, outcome: "completed" });
    expect(response).toMatchObject({ usage: { output_tokens: 20 }, estimated: false });
  });

  test("a stream that its reader leaves is settled by the most that it has read, never less than was written", async () => {
    const org = await governed();
    const long = [{ role: "user" as const, content: "5000 words" }];
    const stream = await clientOf(org, slow).chat.completions.create({ model, messages: long, stream: true });
    let read = 0;
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) read += 1;
      if (read === 7) break;
    }
    const [run] = await org.runs(1);
    expect(run).toMatchObject({ outcome: "cancelled", estimated: true });
    await expect.poll(() => slow.served.at(-1)?.ended).toBe("cut");
    const written = slow.served.at(-1)?.outputTokens ?? 0;
    expect(written).toBeGreaterThanOrEqual(7);
    expect(run?.["usage"].output_tokens).toBeGreaterThanOrEqual(written);
    expect(run?.["usage"].output_tokens).toBeLessThan(16_384);
    await expect.poll(org.reserved).toBe("0.00");
  });

  test("a call that is aborted before its answer is settled: a stream by its input, else by what was reserved", async () => {
    const org = await governed();
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => {
      silent.listen(0, "127.0.0.1", resolve);
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    for (const stream of [true, false]) {
      const stop = new AbortController();
      silent.once("request", () => stop.abort());
      const body = { model, messages, max_tokens: 1000, stream };
      const { chat } = clientOf(org, { ...provider, url });
      await expect(chat.completions.create(body, { signal: stop.signal })).rejects.toThrow(/abort/i);
    }
    silent.closeAllConnections();
    silent.close();
    const [streamed, whole] = await org.runs(2);
    expect(streamed).toMatchObject({ outcome: "cancelled", estimated: true, usage: { output_tokens: 0 } });
    expect(whole).toMatchObject({ outcome: "cancelled", estimated: true });
    expect(Number(whole?.["cost_usd"])).toBeGreaterThan(Number(streamed?.["cost_usd"]) * 10);
  });

  test("what the provider refuses costs nothing", async () => {
    const org = await governed();
    const client = new OpenAI({
      apiKey: "sk-wrong",
      baseURL: `${provider.url}/v1`,
      fetch: governedFetch({ gate: org.gate }),
    });
    await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({ status: 401 });
    const [run] = await org.runs(1);
    expect(run).toMatchObject({ outcome: "failed", cost_usd: "0.00" });
  });

  test("a stream that the provider breaks off is settled by what came", async () => {
    const org = await governed();
    const broken = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = `data: ${JSON.stringify({ choices: [{ delta: { content: "go" } }] })}\n\n`;
      response.write(event.repeat(3), () => setTimeout(() => response.destroy(), 50));
    });
    await new Promise<void>((resolve) => {
      broken.listen(0, "127.0.0.1", resolve);
    });
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const stream = await clientOf(org, { ...provider, url }).chat.completions.create({
      model,
      messages,
      stream: true,
    });
    await expect(async () => {
      for await (const chunk of stream) void chunk;
    }).rejects.toThrow();
    broken.close();
    const [run] = await org.runs(1);
    expect(run).toMatchObject({ outcome: "failed", estimated: true, usage: { output_tokens: 9 } });
  });

  test("a refusal is an error of the SDK with our code, is not tried again, and never reaches the provider", async () => {
    const org = await governed("0");
    const before = provider.served.length;
    let sent = 0;
    const client = clientOf(org).withOptions({
      fetch: (input, init) => {
        sent += 1;
        return governedFetch({ gate: org.gate })(input, init);
      },
    });
    const refused = await client.chat.completions
      .create({ model, messages })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(APIError);
    expect(refused).toMatchObject({
      status: 402,
      code: "budget_exceeded",
      type: "sluice_refusal",
      error: { details: { limit_usd: "0.00" } },
    });
    expect(sent).toBe(1);
    expect(provider.served).toHaveLength(before);
  });

  test("lists of models are free, and what is not metered or has no price is not sent", async () => {
    const org = await governed();
    const client = clientOf(org);
    const before = provider.served.length;
    await client.models.list();
    const picture = client.images.generate({ model: "dall-e-3", prompt: "a cat" });
    await expect(picture).rejects.toMatchObject({ status: 422 });
    await expect(client.batches.list()).rejects.toMatchObject({ status: 403, code: "forbidden" });
    await expect(client.files.list()).rejects.toThrow(/otherPaths/);
    expect(provider.served).toHaveLength(before);
  });
});

describe("with Anthropic's SDK", () => {
  test("messages and their streams are settled by the provider's usage", async () => {
    const org = await governed();
    const client = anthropicOf(org);
    const content = `cached 20 words ${"of this long text ".repeat(60)}`;
    const asked = { model: claude, max_tokens: 100, messages: [{ role: "user" as const, content }] };
    const made = await client.messages.create(asked);
    const streamed = await client.messages.stream(asked).finalMessage();
    expect(streamed.content).toEqual(made.content);
    const runs = await org.runs(2);
    for (const run of runs) {
      expect(run).toMatchObject({
        model: claude,
        provider: "anthropic",
        estimated: false,
        usage: {
          input_tokens: made.usage.input_tokens + (made.usage.cache_read_input_tokens ?? 0),
          output_tokens: 20,
          cache_read_tokens: made.usage.cache_read_input_tokens,
        },
      });
    }
  });

  test("a stream that its reader leaves knows its input, and counts its output", async () => {
    const org = await governed();
    const long = [{ role: "user" as const, content: "5000 words" }];
    const stream = anthropicOf(org, slow).messages.stream({
      model: claude,
      max_tokens: 9000,
      messages: long,
    });
    let read = 0;
    for await (const event of stream) {
      if (event.type === "content_block_delta") read += 1;
      if (read === 7) break;
    }
    const [run] = await org.runs(1);
    expect(run).toMatchObject({ outcome: "cancelled", estimated: true });
    expect(run?.["usage"].input_tokens).toBe(slow.served.at(-1)?.inputTokens);
    expect(run?.["usage"].output_tokens).toBeGreaterThanOrEqual(7);
  });

  test("a refusal is an error of the SDK with its type and our code", async () => {
    const org = await governed("0");
    const asked = { model: claude, max_tokens: 100, messages };
    const refused = await anthropicOf(org)
      .messages.create(asked)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AnthropicError);
    expect(refused).toMatchObject({
      status: 402,
      error: {
        type: "error",
        error: { type: "billing_error", code: "budget_exceeded", details: { limit_usd: "0.00" } },
      },
    });
  });
});
