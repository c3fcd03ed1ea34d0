import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { governedFetch } from "../../src/adapters/fetch.ts";
import { billOf, nanosOf, type Used } from "../support/billing.ts";
import { type Governed, governed, PROVIDER_KEY } from "../support/governed.ts";
import { proxyBefore } from "../support/hostile-provider.ts";
import { LASTING } from "../support/lasting.ts";

/** Whatever body and path a caller thinks of: what the provider would bill for it is charged, or nothing reaches the provider. */

const CONTEXT_TOKENS = 128_000;
const USUAL_BOUND = 4096;

type Body = Readonly<Record<string, unknown>>;

/** The most that a provider could bill for a body: every answer as long as it may be, a token for each byte of its texts. */
function worstUse(body: Body): Used {
  const numbers = (...names: string[]) => names.map((name) => Number(body[name] ?? 0));
  const prompts = Array.isArray(body["prompt"]) ? body["prompt"].length : 1;
  const answers = Math.max(1, ...numbers("n", "best_of")) * prompts;
  const bound =
    Math.max(...numbers("max_tokens", "max_completion_tokens", "max_output_tokens")) || USUAL_BOUND;
  const text = JSON.stringify(body["messages"] ?? body["input"] ?? body["prompt"]);
  const predicted = body["prediction"] as { content: string } | undefined;
  const isElsewhere = /previous_response_id|file_id|https:|web_search/.test(JSON.stringify(body));
  const hasSearch = JSON.stringify(body["tools"] ?? []).includes("web_search");
  return {
    input: isElsewhere ? CONTEXT_TOKENS : Math.floor(text.length / 2),
    output: answers * bound + (predicted?.content.length ?? 0),
    ...(hasSearch ? { searches: Number(body["max_tool_calls"]) } : {}),
  };
}

interface Billed {
  readonly nanos: bigint;
  readonly tokenNanos: bigint;
}

const billed: Billed[] = [];

/** Bills the most that it could, and says so. */
const provider = createServer(LASTING, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.once("end", () => {
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Body;
    const used = worstUse(body);
    const model = String(body["model"]);
    billed.push({ nanos: billOf(model, used), tokenNanos: billOf(model, { ...used, searches: 0 }) });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answerTo(request.url ?? "", used)));
  });
});

function answerTo(path: string, { input, output, searches = 0 }: Used): object {
  if (!path.endsWith("/responses"))
    return { choices: [], usage: { prompt_tokens: input, completion_tokens: output } };
  const calls = Array.from({ length: searches }, () => ({ type: "web_search_call" }));
  return { output: calls, usage: { input_tokens: input, output_tokens: output } };
}

let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    provider.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(() => {
  provider.close();
  provider.closeAllConnections();
});

interface Sent {
  readonly org: Governed;
  readonly path: string;
  readonly init: RequestInit;
}

const WAYS: readonly (readonly [string, (sent: Sent) => Promise<Response>])[] = [
  [
    "the proxy",
    ({ org, path, init }) => {
      const { body, ...rest } = init;
      const stream =
        body === undefined || body === null ? {} : { body: body as string, duplex: "half" as const };
      return proxyBefore(url)(`/openai${path}`, { ...rest, ...stream, key: org.key });
    },
  ],
  [
    "governedFetch",
    ({ org, path, init }) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${PROVIDER_KEY}`);
      return governedFetch({ gate: org.gate, provider: "openai" })(url + path, { ...init, headers });
    },
  ],
];

const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
const COMPLETIONS = "/v1/completions";
const mini = { model: "gpt-4o-mini" };
const messages = [{ role: "user", content: "hi" }];
const picture = { type: "image_url", image_url: { url: "https://x.test/a.png" } };
const search = { type: "web_search" };

/** Bodies that pass, because what they cost at most is known. */
const PAID: readonly (readonly [string, string, Body])[] = [
  ["no bound", CHAT, { ...mini, messages }],
  ["two bounds", CHAT, { ...mini, messages, max_tokens: 10, max_completion_tokens: 3000 }],
  ["many answers", CHAT, { ...mini, messages, n: 128, max_tokens: 500 }],
  ["many answers without a bound", CHAT, { ...mini, messages, n: 8 }],
  [
    "predicted text",
    CHAT,
    { ...mini, messages, max_tokens: 10, prediction: { type: "content", content: "x".repeat(900) } },
  ],
  [
    "hidden reasoning",
    CHAT,
    { model: "gpt-5-mini", messages, reasoning_effort: "high", max_completion_tokens: 3000 },
  ],
  [
    "the best of many",
    COMPLETIONS,
    { model: "gpt-3.5-turbo-instruct", prompt: "hi", n: 2, best_of: 20, max_tokens: 100 },
  ],
  [
    "many prompts",
    COMPLETIONS,
    { model: "gpt-3.5-turbo-instruct", prompt: ["a", "b", "c"], n: 2, max_tokens: 100 },
  ],
  [
    "a response before it",
    RESPONSES,
    { ...mini, input: "hi", previous_response_id: "resp_1", max_output_tokens: 10 },
  ],
  [
    "a file by its id",
    RESPONSES,
    {
      ...mini,
      input: [{ role: "user", content: [{ type: "input_file", file_id: "f" }] }],
      max_output_tokens: 10,
    },
  ],
  [
    "a picture by its URL",
    CHAT,
    { ...mini, messages: [{ role: "user", content: [picture] }], max_tokens: 10 },
  ],
  ["a hosted tool", RESPONSES, { ...mini, input: "hi", tools: [search], max_output_tokens: 10 }],
  [
    "no wish for the usage",
    CHAT,
    { ...mini, messages, max_tokens: 10, stream_options: { include_usage: false } },
  ],
];

/** Bodies that do not pass: they could be read in two ways, or what they cost is not known. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ["a second model", CHAT, '{"model":"gpt-4o-mini","model":"gpt-5","messages":[]}'],
  ["a second bound", CHAT, '{"model":"gpt-4o-mini","max_tokens":5,"max_tokens":9000,"messages":[]}'],
  [
    "a name twice, once with escapes",
    CHAT,
    String.raw`{"model":"gpt-4o-mini","n":1,"\u006e":50,"messages":[]}`,
  ],
  ["a name twice, deep inside", RESPONSES, '{"model":"gpt-4o-mini","input":[{"a":1,"a":2}]}'],
  ["a model in another case", CHAT, '{"model":"gpt-4o-mini","Model":"gpt-5","messages":[]}'],
  ["a bound in another case", CHAT, '{"model":"gpt-4o-mini","Max_Tokens":9000,"messages":[]}'],
  [
    "a name with a letter that stands for another",
    CHAT,
    '{"model":"gpt-4o-mini","\u017ftream":true,"messages":[]}',
  ],
  ["a bound of nothing", CHAT, '{"model":"gpt-4o-mini","max_tokens":0,"messages":[]}'],
  ["a bound below nothing", CHAT, '{"model":"gpt-4o-mini","max_tokens":-1,"messages":[]}'],
  ["a bound that is no whole number", CHAT, '{"model":"gpt-4o-mini","max_tokens":1.5,"messages":[]}'],
  ["a bound in quotes", CHAT, '{"model":"gpt-4o-mini","max_tokens":"100","messages":[]}'],
  [
    "a bound that is not exact",
    CHAT,
    '{"model":"gpt-4o-mini","max_tokens":99999999999999999999,"messages":[]}',
  ],
  ["more answers than anyone writes", CHAT, '{"model":"gpt-4o-mini","n":100000,"messages":[]}'],
  ["answers in quotes", CHAT, '{"model":"gpt-4o-mini","n":"3","messages":[]}'],
  ["a stream in quotes", CHAT, '{"model":"gpt-4o-mini","stream":"true","messages":[]}'],
  ["a list of models", CHAT, '{"model":"gpt-4o-mini","models":["gpt-5"],"messages":[]}'],
  ["a plugin", CHAT, '{"model":"gpt-4o-mini","plugins":[{"id":"web"}],"messages":[]}'],
  [
    "a hosted tool that nobody prices",
    CHAT,
    '{"model":"gpt-4o-mini","tools":[{"type":"browser_search"}],"messages":[]}',
  ],
  [
    "a hosted tool of responses that nobody prices",
    RESPONSES,
    '{"model":"gpt-4o-mini","tools":[{"type":"image_generation"}],"input":"hi"}',
  ],
  ["work in the background", RESPONSES, '{"model":"gpt-4o-mini","background":true,"input":"hi"}'],
  ["no model", CHAT, '{"messages":[]}'],
  ["no object", CHAT, '["gpt-4o-mini"]'],
  ["no JSON", CHAT, "model=gpt-4o-mini"],
  ["half of a body", CHAT, '{"model":"gpt-4o-mini","messages":['],
];

/** Calls of the providers' references that the table does not meter: what others stored, work at another time, the account. */
const UNMETERED: readonly string[] = [
  "GET /v1/chat/completions",
  "GET /v1/chat/completions/chatcmpl_1",
  "DELETE /v1/chat/completions/chatcmpl_1",
  "GET /v1/responses/resp_1",
  "DELETE /v1/responses/resp_1",
  "POST /v1/responses/resp_1/cancel",
  "GET /v1/responses/resp_1/input_items",
  "POST /v1/conversations",
  "POST /v1/batches",
  "GET /v1/batches/batch_1",
  "POST /v1/messages/batches",
  "GET /v1/messages/batches/msgbatch_1/results",
  "GET /v1/files",
  "POST /v1/files",
  "DELETE /v1/files/file_1",
  "GET /v1/files/file_1/content",
  "POST /v1/uploads",
  "POST /v1/fine_tuning/jobs",
  "POST /v1/vector_stores",
  "POST /v1/vector_stores/vs_1/search",
  "POST /v1/containers",
  "POST /v1/assistants",
  "POST /v1/threads/runs",
  "POST /v1/evals",
  "POST /v1/images/variations",
  "POST /v1/videos",
  "GET /v1/videos/video_1/content",
  "POST /v1/realtime",
  "POST /v1/realtime/calls",
  "POST /v1/realtime/client_secrets",
  "POST /v1/realtime/sessions",
  "POST /v1/realtime/transcription_sessions",
  "POST /v1/chatkit/sessions",
  "GET /v1/organization/admin_api_keys",
  "GET /v1/organization/costs",
  "GET /v1/organizations/api_keys",
  "GET /v1/organizations/me",
  "GET /v1/usage",
  "DELETE /v1/models/ft:gpt-4o-mini:acme",
  "PUT /v1/chat/completions",
  "POST /v1/models",
  "HEAD /v1/models",
  "POST /v1/chat/completions/batch",
  "POST /v1/Chat/Completions",
];

const json = { "content-type": "application/json" };
const textOf = (body: Body): RequestInit => ({ method: "POST", headers: json, body: JSON.stringify(body) });

describe.each(WAYS)("%s", (name, send) => {
  test.each(PAID)("%s is charged at no less than the provider bills", async (_, path, body) => {
    const org = await governed();
    const before = billed.length;
    const answer = await send({ org, path, init: textOf(body) });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    const bills = billed.slice(before);
    expect(bills).toHaveLength(1);
    const [{ nanos, tokenNanos }] = bills as [Billed];
    const [run] = await org.runs(1);
    expect(nanosOf(String(run?.["cost_usd"]))).toBeGreaterThanOrEqual(nanos);
    await expectWithin(tokenNanos - 1n, path, body);
  });

  /** On a budget that is a nano-dollar too small, it is refused, or gets a bound that fits. */
  async function expectWithin(limit: bigint, path: string, body: Body): Promise<void> {
    const limitUsd = `${limit / 1_000_000_000n}.${String(limit % 1_000_000_000n).padStart(9, "0")}`;
    const org = await governed(limitUsd);
    const before = billed.length;
    const answer = await send({ org, path, init: textOf(body) });
    await answer.arrayBuffer();
    const [bill] = billed.slice(before);
    if (bill === undefined) expect(answer.status).toBe(402);
    else expect(bill.tokenNanos).toBeLessThanOrEqual(limit);
  }

  test.each(REFUSED)("%s does not reach the provider", async (_, path, body) => {
    const before = billed.length;
    const answer = await send({ org: await anyone(), path, init: { method: "POST", headers: json, body } });
    expect([400, 403]).toContain(answer.status);
    expect(billed).toHaveLength(before);
  });

  test.each([
    ["is", gzipSync(JSON.stringify({ ...mini, messages }))],
    ["says that it is", JSON.stringify({ ...mini, messages })],
  ])("a body that %s compressed does not reach the provider", async (_, body) => {
    const before = billed.length;
    const headers = { ...json, "content-encoding": "gzip" };
    expect(
      (await send({ org: await anyone(), path: CHAT, init: { method: "POST", headers, body } })).status,
    ).toBe(400);
    expect(billed).toHaveLength(before);
  });

  test("a form that has a name twice does not reach the provider", async () => {
    const form = new FormData();
    for (const [field, value] of [
      ["model", "gpt-image-1"],
      ["prompt", "x"],
      ["n", "1"],
      ["prompt", "y"],
    ] as const)
      form.append(field, value);
    const { headers, body } = new Request("http://form.test", { method: "POST", body: form });
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const before = billed.length;
    expect((await send({ org: await anyone(), path: "/v1/images/edits", init })).status).toBe(400);
    expect(billed).toHaveLength(before);
  });

  test("a body that breaks off does not reach the provider", async () => {
    const before = billed.length;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"model":"gpt-4o-mini",')),
      pull: (controller) => controller.error(new Error("gone")),
    });
    const init = { method: "POST", headers: json, body, duplex: "half" } as RequestInit;
    const sent = send({ org: await anyone(), path: CHAT, init });
    if (name === "the proxy") expect((await sent).status).toBe(400);
    else await expect(sent).rejects.toThrow("gone");
    expect(billed).toHaveLength(before);
  });

  test.each(UNMETERED)("%s does not reach the provider", async (call) => {
    const [method = "", path = ""] = call.split(" ");
    const before = billed.length;
    const body = method === "POST" ? { body: JSON.stringify({ ...mini, messages }), headers: json } : {};
    const answer = await send({ org: await anyone(), path, init: { method, ...body } });
    expect([call, answer.status]).toEqual([call, 403]);
    if (method !== "HEAD") expect(await answer.json()).toMatchObject({ error: { code: "forbidden" } });
    expect(billed).toHaveLength(before);
  });
});

let one: Promise<Governed> | null = null;
/** Whoever is refused before anything is decided needs no org of its own. */
const anyone = (): Promise<Governed> => (one ??= governed());
