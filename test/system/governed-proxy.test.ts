import Anthropic from "@anthropic-ai/sdk";
import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Demo } from "../../scripts/demo.ts";
import { governed } from "../support/governed.ts";
import { call, sharedServer } from "../support/server.ts";

/** The proxy as a Worker, as `npm start` serves it, with the SDKs of those that it stands before. */

const proxyUrl = (): string =>
  (JSON.parse(readFileSync(`${sharedServer().dataDir}/demo.json`, "utf8")) as Demo).proxy_url;
const model = "gpt-4o-mini";
const claude = "claude-sonnet-4-5";
const messages = [{ role: "user" as const, content: "20 words" }];

const openaiOf = (apiKey: string, defaultHeaders = {}): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${proxyUrl()}/openai/v1`, defaultHeaders });
const anthropicOf = (apiKey: string): Anthropic =>
  new Anthropic({ apiKey, baseURL: `${proxyUrl()}/anthropic` });

test("OpenAI's SDK needs nothing but an address and a Sluice key, and each call is recorded by its usage", async () => {
  const org = await governed();
  const client = openaiOf(org.key, {
    "x-sluice-customer-id": "acme",
    "x-sluice-tags": "team=search,place=a%2Cb",
  });
  await client.chat.completions.create({ model, messages });
  await client.responses.create({ model, input: "20 words", reasoning: { effort: "low" } });
  await client.embeddings.create({ model: "text-embedding-3-small", input: "one" });
  const stream_options = { include_usage: true };
  const stream = await client.chat.completions.create({ model, messages, stream: true, stream_options });
  for await (const chunk of stream) void chunk;
  const runs = await org.runs(4);
  for (const run of runs) {
    expect(run).toMatchObject({
      customer_id: "acme",
      tags: { team: "search", place: "a,b" },
      estimated: false,
    });
  }
  expect(runs.map((run) => run["usage"].output_tokens).sort((a, b) => a - b)).toEqual([0, 20, 20, 28]);
  await expect.poll(org.reserved).toBe("0.00");
});

test("Anthropic's SDK sends its key as it does, and is recorded by its usage", async () => {
  const org = await governed();
  const client = anthropicOf(org.key);
  await client.messages.create({ model: claude, max_tokens: 100, messages });
  await client.messages.stream({ model: claude, max_tokens: 100, messages }).finalMessage();
  for (const run of await org.runs(2)) {
    expect(run).toMatchObject({
      model: claude,
      provider: "anthropic",
      usage: { output_tokens: 20 },
      estimated: false,
    });
  }
});

test("a stream whose caller goes away is read on, and pays for what the provider wrote", async () => {
  const org = await governed();
  const long = [{ role: "user" as const, content: "90000 words" }];
  const stream = await openaiOf(org.key).chat.completions.create({ model, messages: long, stream: true });
  let read = 0;
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta.content) read += 1;
    if (read === 50) break;
  }
  const [run] = await org.runs(1);
  // All of it, up to the bound that the proxy set, or what came until the grace was over.
  const isWhole = run?.["outcome"] === "completed";
  expect(run).toMatchObject({ outcome: isWhole ? "completed" : "cancelled", estimated: !isWhole });
  expect(run?.["usage"].output_tokens).toBeGreaterThanOrEqual(isWhole ? 16_384 : 50);
  expect(run?.["usage"].output_tokens).toBeLessThanOrEqual(16_384);
  await expect.poll(org.reserved).toBe("0.00");
});

describe("a refusal keeps its status and code, and is an error of the SDK", () => {
  test("OpenAI's", async () => {
    const { key } = await governed("0");
    await expect(openaiOf(key).chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 402,
      code: "budget_exceeded",
      error: { details: { limit_usd: "0.00" } },
    });
  });

  test("Anthropic's", async () => {
    const { key } = await governed("0");
    const asked = { model: claude, max_tokens: 100, messages };
    await expect(anthropicOf(key).messages.create(asked)).rejects.toMatchObject({
      status: 402,
      error: { type: "error", error: { type: "billing_error", code: "budget_exceeded" } },
    });
  });

  test("of a key that is none, or that the service does not know", async () => {
    const unknown = (await governed()).key.slice(0, -6);
    for (const key of ["sk-somebody", `${unknown}AAAAAA`]) {
      await expect(openaiOf(key).chat.completions.create({ model, messages })).rejects.toMatchObject({
        status: 401,
        code: "unauthorized",
      });
    }
  });
});

describe("an answer of the proxy itself has a trace", () => {
  const ask = (key: string, path = "/openai/v1/chat/completions") =>
    fetch(proxyUrl() + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "x-sluice-customer-id": "acme" },
      body: JSON.stringify({ model, messages }),
    });
  const logged = async (trace: string): Promise<object> => {
    const line = () =>
      readFileSync(`${sharedServer().dataDir}/sluice.log`, "utf8")
        .split("\n")
        .find((one) => one.includes(trace) && one.includes('"source":"proxy"'));
    await expect.poll(line).toBeDefined();
    return JSON.parse(line() ?? "") as object;
  };

  test("under which a refusal is logged and listed, whoever decided it", async () => {
    const { key, org } = await governed("0");
    const deciders = new Set<string>();
    for (let round = 0; round < 10 && deciders.size < 2; round += 1) {
      // One right after the other: what the gate has learnt holds for a second.
      const answers: Response[] = [];
      for (let calls = 0; calls < 8; calls += 1) answers.push(await ask(key));
      const traces = answers.map(({ headers }) => headers.get("x-svc-trace-id") ?? "no trace");
      expect(new Set(traces).size).toBe(8);
      for (const trace of traces) {
        const path = `/v1/orgs/${org}/refusals?trace_id=${trace}`;
        const kept = () => call("GET", path, { key }).then(({ body }) => body.data[0]);
        await expect.poll(kept).toMatchObject({ code: "budget_exceeded" });
        deciders.add((await kept()).decided);
        expect(await logged(trace)).toMatchObject({
          method: "POST",
          provider: "openai",
          api: "chat",
          status: 402,
          code: "budget_exceeded",
          org,
          key: expect.stringMatching(/^key_/),
          limit: expect.stringMatching(/^bud_/),
          customer: "acme",
        });
      }
    }
    expect(deciders).toEqual(new Set(["object", "edge"]));
  });

  test("also where nobody was asked, and no line has the key or the path", async () => {
    const { key } = await governed();
    const unknown = `${key.slice(0, -6)}AAAAAA`;
    for (const [answer, status, code] of [
      [await ask(unknown), 401, "unauthorized"],
      [await ask("sk-somebody"), 401, "unauthorized"],
      [await ask(key, "/elsewhere/secret-path"), 404, "not_found"],
      [await ask(key, "/openai/v1//secret-path"), 400, "bad_request"],
    ] as const) {
      expect(answer.status).toBe(status);
      const line = await logged(answer.headers.get("x-svc-trace-id") ?? "no trace");
      expect(line).toMatchObject({ status, code, org: null, key: null });
      expect(JSON.stringify(line)).not.toMatch(/svc_|sk-somebody|secret-path/);
    }
  });
});
