import { Cerebras } from "@cerebras/cerebras_cloud_sdk";
import { HTTPClient as MistralClient, Mistral } from "@mistralai/mistralai";
import { HTTPClient as OpenRouterClient, OpenRouter } from "@openrouter/sdk";
import { Perplexity } from "@perplexity-ai/perplexity_ai";
import { CohereClientV2 } from "cohere-ai";
import { Groq } from "groq-sdk";
import { Together } from "together-ai";
import { beforeEach, describe, expect, test } from "vitest";
import { refuse } from "../../src/contract/refusal.ts";
import { createProxy } from "../../src/proxy/index.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

/** SDKs of other providers through the proxy, before a stand-in that answers as the references of the APIs print. */

const PROVIDER_KEY = "key-of-the-provider-0123456789";
const messages = [{ role: "user" as const, content: "Hi" }];
const COUNTS = { input_tokens: 4, output_tokens: 5 };

let service: SmallService;
let sent: { url: URL; headers: Headers; body: string }[];
let background: Promise<unknown>[];
let proxy: ReturnType<typeof createProxy>;

const throughProxy = (input: string | URL | Request, init?: RequestInit) =>
  proxy.fetch(new Request(input, init), { waitUntil: (work) => void background.push(work) });

const at = (baseURL: string) => ({ baseURL, apiKey: SMALL_KEY, fetch: throughProxy });
const groq = () => new Groq(at("http://proxy/groq")).chat.completions;
const together = () => new Together(at("http://proxy/together/v1")).chat.completions;
const perplexity = () => new Perplexity(at("http://proxy/perplexity")).chat.completions;
const cerebras = () => new Cerebras(at("http://proxy/cerebras")).chat.completions;
const mistral = () =>
  new Mistral({
    serverURL: "http://proxy/mistral",
    apiKey: SMALL_KEY,
    httpClient: new MistralClient({ fetcher: throughProxy }),
  });
const openrouter = () =>
  new OpenRouter({
    serverURL: "http://proxy/openrouter/v1",
    apiKey: SMALL_KEY,
    httpClient: new OpenRouterClient({ fetcher: throughProxy }),
  }).chat;
const cohere = () =>
  new CohereClientV2({ baseUrl: "http://proxy/cohere", token: SMALL_KEY, fetch: throughProxy });

/** How an SDK asks. What it returns is read by the shape of the API, in whichever case the SDK writes names. */
interface Sdk {
  readonly name: string;
  readonly model: string;
  /** Where its calls arrive at the provider. */
  readonly url: string;
  readonly whole: (model: string) => PromiseLike<unknown>;
  readonly stream: (model: string) => PromiseLike<unknown>;
}

const SDKS: readonly Sdk[] = [
  {
    name: "groq",
    model: "llama-3.3-70b-versatile",
    url: "https://api.groq.com/openai/v1/chat/completions",
    whole: (model) => groq().create({ model, messages }),
    stream: (model) => groq().create({ model, messages, stream: true }),
  },
  {
    name: "together",
    model: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    url: "https://api.together.xyz/v1/chat/completions",
    whole: (model) => together().create({ model, messages }),
    stream: (model) => together().create({ model, messages, stream: true }),
  },
  {
    name: "perplexity",
    model: "sonar",
    url: "https://api.perplexity.ai/chat/completions",
    whole: (model) => perplexity().create({ model, messages }),
    stream: (model) => perplexity().create({ model, messages, stream: true }),
  },
  {
    name: "cerebras",
    model: "llama-3.3-70b",
    url: "https://api.cerebras.ai/v1/chat/completions",
    whole: (model) => cerebras().create({ model, messages }),
    stream: (model) => cerebras().create({ model, messages, stream: true }),
  },
  {
    name: "mistral",
    model: "mistral-small-latest",
    url: "https://api.mistral.ai/v1/chat/completions",
    whole: (model) => mistral().chat.complete({ model, messages }),
    stream: (model) => mistral().chat.stream({ model, messages }),
  },
  {
    name: "openrouter",
    model: "openai/gpt-4o-mini",
    url: "https://openrouter.ai/api/v1/chat/completions",
    whole: (model) => openrouter().send({ chatRequest: { model, messages } }),
    stream: (model) => openrouter().send({ chatRequest: { model, messages, stream: true } }),
  },
  {
    name: "cohere",
    model: "command-a-03-2025",
    url: "https://api.cohere.com/v2/chat",
    whole: (model) => cohere().chat({ model, messages }),
    stream: (model) => cohere().chatStream({ model, messages }),
  },
];

const CHAT = { id: "chat-1", created: 1_700_000_000, system_fingerprint: "fp_1" };
const USAGE = { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 };
const COHERE_USAGE = {
  billed_units: COUNTS,
  tokens: { input_tokens: 70, output_tokens: 7 },
  cached_tokens: 0,
};

/** What OpenAI's API answers, and what every host that is compatible with it does. */
function chatAnswer(model: string): object {
  const message = { role: "assistant", content: "Hello there." };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { ...CHAT, object: "chat.completion", model, choices, usage: USAGE };
}

function chatEvents(model: string, endsWithUsage: boolean): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...CHAT,
    object: "chat.completion.chunk",
    model,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const end = chunk({}, "stop");
  return [
    chunk({ role: "assistant", content: "Hello" }),
    chunk({ content: " there." }),
    ...(endsWithUsage ? [end, { ...end, choices: [], usage: USAGE }] : [{ ...end, usage: USAGE }]),
  ];
}

function cohereAnswer(): object {
  const content = [{ type: "text", text: "Hello there." }];
  const message = { role: "assistant", content };
  return { id: "c14c80c3", finish_reason: "COMPLETE", message, usage: COHERE_USAGE };
}

function cohereEvents(): object[] {
  const piece = (type: string, content: object) => ({ type, index: 0, delta: { message: { content } } });
  return [
    { type: "message-start", id: "29f14a5a", delta: { message: { role: "assistant" } } },
    piece("content-start", { type: "text", text: "" }),
    piece("content-delta", { text: "Hello" }),
    piece("content-delta", { text: " there." }),
    { type: "content-end", index: 0 },
    { type: "message-end", id: "29f14a5a", delta: { finish_reason: "COMPLETE", usage: COHERE_USAGE } },
  ];
}

const EMBEDDINGS = {
  response_type: "embeddings_by_type",
  id: "da6e531f",
  embeddings: { float: [[0.1, 0.2]] },
  texts: ["Hi"],
  meta: { api_version: { version: "2" }, billed_units: { input_tokens: 4 } },
};

interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

function answerTo(url: URL, body: string): Response {
  const { model, stream, stream_options } = JSON.parse(body) as Asked;
  const isCohere = url.host === "api.cohere.com";
  if (url.pathname === "/v2/embed") return Response.json(EMBEDDINGS);
  if (stream !== true) return Response.json(isCohere ? cohereAnswer() : chatAnswer(model));
  const events = isCohere ? cohereEvents() : chatEvents(model, stream_options?.include_usage === true);
  const lines = [...events.map((event) => JSON.stringify(event)), ...(isCohere ? [] : ["[DONE]"])];
  const text = lines.map((line) => `data: ${line}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** The text of an answer or of a piece of one, wherever the SDK has it. */
function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textIn).join("");
  const { choices, message, delta, data, content, text } = Object(value) as Record<string, unknown>;
  const inner = choices ?? message ?? delta ?? data ?? content ?? text;
  return inner === undefined ? "" : textIn(inner);
}

const BUDGET = refuse("budget_exceeded", {
  budget_id: "bud_1",
  scope_kind: "org",
  limit_usd: "1",
  spent_usd: "1",
  period_start: "2025-12-01T00:00:00+00:00",
  period_end: "2026-01-01T00:00:00+00:00",
});
const UNPRICED = refuse("validation_failed", {
  fields: [{ field: "model", code: "no_price", message: "has no price" }],
});

async function settled(): Promise<void> {
  for (let done = -1; done < background.length;) {
    done = background.length;
    await Promise.all(background);
  }
}

beforeEach(() => {
  [service, sent, background] = [new SmallService(), [], []];
  proxy = createProxy({
    binding: service,
    orgs: "*",
    providers: Object.fromEntries(SDKS.map(({ name }) => [name, { key: PROVIDER_KEY }])),
    retries: 0,
    otherPaths: { "POST /openai/v1/usage": "0.01" },
    fetch: async (to, { headers, body }) => {
      const url = new URL(to);
      const text = typeof body === "string" ? body : "";
      sent.push({ url, headers: new Headers(headers), body: text });
      return answerTo(url, text);
    },
  });
});

describe.each(SDKS)("the SDK of $name", ({ model, url, whole, stream }) => {
  test("gets a whole answer, which is charged by its usage", async () => {
    expect(textIn(await whole(model))).toBe("Hello there.");
    await settled();
    expect(service.runs).toMatchObject([{ model, usage: COUNTS, outcome: "completed" }]);
    expect(sent.map((one) => one.url.href)).toEqual([url]);
    expect(sent[0]?.headers.get("authorization")).toBe(`Bearer ${PROVIDER_KEY}`);
    expect(JSON.stringify([...(sent[0]?.headers ?? [])])).not.toContain(SMALL_KEY);
  });

  test("gets a stream, piece by piece", async () => {
    const pieces: string[] = [];
    for await (const piece of (await stream(model)) as AsyncIterable<unknown>) pieces.push(textIn(piece));
    expect(pieces.filter(Boolean)).toEqual(["Hello", " there."]);
    await settled();
    expect(service.runs).toMatchObject([{ model, usage: COUNTS, outcome: "completed" }]);
    expect(service.open.size).toBe(0);
  });

  test.each([
    ["a budget", BUDGET],
    ["a model without a price", UNPRICED],
  ])("throws the refusal of %s with its status and its message, and nothing is sent", async (_, refusal) => {
    service.judge = () => refusal;
    for (const ask of [whole, stream]) {
      const error = await Promise.resolve(ask(model)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      const { status, statusCode } = error as { status?: number; statusCode?: number };
      expect(status ?? statusCode).toBe(refusal.status);
      expect(String(error)).toContain(refusal === BUDGET ? refusal.message : "model has no price");
    }
    await settled();
    expect([sent.length, service.runs.length, service.asks.length]).toEqual([0, 0, 2]);
  });
});

test("Cohere's SDK gets embeddings of texts, and of inputs that are texts", async () => {
  const [model, inputType, embeddingTypes] = ["embed-v4.0", "search_document", ["float"]] as const;
  const asked = { model, inputType, embeddingTypes: [...embeddingTypes] };
  const inputs = [{ content: [{ type: "text" as const, text: "Hi" }] }];
  for (const what of [{ texts: ["Hi"] }, { inputs }]) {
    const { embeddings } = await cohere().embed({ ...asked, ...what });
    expect(embeddings.float).toEqual([[0.1, 0.2]]);
  }
  await settled();
  const run = { model, provider: "cohere", usage: { input_tokens: 4, output_tokens: 0 } };
  expect(service.runs).toMatchObject([run, run]);
  const image = {
    content: [{ type: "image_url" as const, imageUrl: { url: "data:image/png;base64,AAAA" } }],
  };
  await expect(cohere().embed({ ...asked, inputs: [image] })).rejects.toMatchObject({ statusCode: 403 });
  expect(sent.length).toBe(2);
});

test("the prefix that Groq's SDK writes before a path is taken off once, and hides nothing", async () => {
  const call = async (path: string) => {
    const headers = { authorization: `Bearer ${SMALL_KEY}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "llama-3.3-70b-versatile", messages });
    return (await throughProxy(`http://proxy/groq${path}`, { method: "POST", headers, body })).status;
  };
  for (const path of ["/openai/v1/chat/completions", "/v1/chat/completions"])
    expect(await call(path)).toBe(200);
  expect(new Set(sent.map(({ url }) => url.href)).size).toBe(1);
  for (const path of ["/openai/openai/v1/chat/completions", "/openaiv1/chat/completions", "/openai/v1/usage"])
    expect(await call(path)).toBe(403);
  expect(sent.length).toBe(2);
});
