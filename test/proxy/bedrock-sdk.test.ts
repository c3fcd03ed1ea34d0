import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { createHash, createHmac } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { frameOf } from "../../scripts/stand-in/bedrock.ts";
import { refuse } from "../../src/contract/refusal.ts";
import { createProxy, type ProxyOptions } from "../../src/proxy/index.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

/** Amazon's own SDK through the proxy, before a stand-in that answers as the API's reference prints. */

const ID = "AKIAIOSFODNN7EXAMPLE";
const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const URL_OF_REGION = "https://bedrock-runtime.eu-west-1.amazonaws.com";
const MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
const USAGE = { inputTokens: 4, outputTokens: 5, totalTokens: 9 };

interface Sent {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

let service: SmallService;
let sent: Sent[];
let background: Promise<unknown>[];
let server: Server;
let base: string;
let answer: (sent: Sent) => Response;

const event = (name: string, payload: object) =>
  frameOf({ ":message-type": "event", ":event-type": name }, payload);
const chunk = (payload: object) =>
  event("chunk", { bytes: Buffer.from(JSON.stringify(payload)).toString("base64") });
const stream = (...frames: Buffer[]) =>
  new Response(Buffer.concat(frames), { headers: { "content-type": "application/vnd.amazon.eventstream" } });
const message = { role: "assistant", content: [{ text: "Hello there." }] };

function usualAnswer({ url: { pathname } }: Sent): Response {
  if (pathname.endsWith("/converse-stream"))
    return stream(
      event("messageStart", { role: "assistant" }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hello" }, p: "ab" }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: " there." }, p: "abc" }),
      event("contentBlockStop", { contentBlockIndex: 0 }),
      event("messageStop", { stopReason: "end_turn" }),
      event("metadata", { usage: USAGE, metrics: { latencyMs: 100 } }),
    );
  if (pathname.endsWith("/invoke-with-response-stream"))
    return stream(
      chunk({ type: "message_start", message: { usage: { input_tokens: 4, output_tokens: 1 } } }),
      chunk({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } }),
      chunk({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }),
      chunk({ type: "message_stop" }),
    );
  if (pathname.includes("titan-embed"))
    return Response.json({ embedding: [0.1, 0.2], inputTextTokenCount: 3 });
  if (pathname.endsWith("/invoke"))
    return Response.json({ ...message, usage: { input_tokens: 4, output_tokens: 5 } });
  return Response.json({ output: { message }, stopReason: "end_turn", usage: USAGE });
}

async function relayed(answered: Promise<Response>, outgoing: ServerResponse): Promise<void> {
  const response = await answered;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}

function start(access: ProxyOptions["providers"][string], options: Partial<ProxyOptions> = {}): void {
  const proxy = createProxy({
    binding: service,
    orgs: "*",
    providers: { bedrock: access },
    fetch: async (to, { headers, body }) => {
      const one = {
        url: new URL(to),
        headers: new Headers(headers),
        body: typeof body === "string" ? body : "",
      };
      sent.push(one);
      return answer(one);
    },
    ...options,
  });
  server.removeAllListeners("request");
  server.on("request", (incoming, outgoing) => {
    const { method = "GET", headers } = incoming;
    const request = new Request(`${base}${incoming.url}`, {
      method,
      headers: new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>,
      duplex: "half",
    } as RequestInit);
    void relayed(proxy.fetch(request, { waitUntil: (work) => void background.push(work) }), outgoing);
  });
}

beforeEach(async () => {
  [service, sent, background, answer] = [new SmallService(), [], [], usualAnswer];
  server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  start({ key: `${ID}:${SECRET}`, url: URL_OF_REGION });
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const sdk = () =>
  new BedrockRuntimeClient({
    endpoint: `${base}/bedrock`,
    region: "eu-west-1",
    // The usual one speaks HTTP/2, which needs TLS or a server that knows beforehand.
    requestHandler: new NodeHttpHandler(),
    token: { token: SMALL_KEY },
    authSchemePreference: ["httpBearerAuth"],
    maxAttempts: 1,
  });
const ask = {
  modelId: MODEL,
  messages: [{ role: "user" as const, content: [{ text: "Hi" }] }],
  inferenceConfig: { maxTokens: 50 },
};

async function settled(): Promise<void> {
  for (let done = -1; done < background.length;) {
    done = background.length;
    await Promise.all(background);
  }
}

/** As the reference of Signature Version 4 computes it, from what was sent. */
function signatureOf({ url, headers, body }: Sent): string {
  const authorization = headers.get("authorization") ?? "";
  const [, names = ""] = /SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const date = headers.get("x-amz-date") ?? "";
  const scope = `${date.slice(0, 8)}/eu-west-1/bedrock/aws4_request`;
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const lines = names.split(";").map((name) => `${name}:${name === "host" ? url.host : headers.get(name)}\n`);
  const path = url.pathname.split("/").map(encodeURIComponent).join("/");
  const request = ["POST", path, "", lines.join(""), names, hash(body)].join("\n");
  const text = ["AWS4-HMAC-SHA256", date, scope, hash(request)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${SECRET}`);
  return `AWS4-HMAC-SHA256 Credential=${ID}/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString("hex")}`;
}

describe("Amazon's SDK", () => {
  test("gets a whole answer, which is charged by its usage, and the request is signed", async () => {
    const { output } = await sdk().send(new ConverseCommand(ask));
    expect(output?.message?.content?.[0]?.text).toBe("Hello there.");
    await settled();
    expect(service.runs).toMatchObject([
      { model: MODEL, provider: "aws", usage: { input_tokens: 4, output_tokens: 5 } },
    ]);
    const [first] = sent;
    if (first === undefined) throw new Error("nothing was sent");
    expect(first.url.href).toBe(`${URL_OF_REGION}/model/${encodeURIComponent(MODEL)}/converse`);
    expect(first.headers.get("authorization")).toBe(signatureOf(first));
    expect(JSON.stringify([...first.headers])).not.toContain(SMALL_KEY);
    expect(JSON.stringify([...first.headers])).not.toContain(SECRET);
  });

  test("gets a stream, piece by piece", async () => {
    const pieces: string[] = [];
    const { stream: events = [] } = await sdk().send(new ConverseStreamCommand(ask));
    for await (const { contentBlockDelta } of events) pieces.push(contentBlockDelta?.delta?.text ?? "");
    expect(pieces.filter(Boolean)).toEqual(["Hello", " there."]);
    await settled();
    expect(service.runs).toMatchObject([
      { usage: { input_tokens: 4, output_tokens: 5 }, outcome: "completed" },
    ]);
    expect(service.open.size).toBe(0);
  });

  test("invokes a model with its own request, whole and streamed, and gets embeddings", async () => {
    const body = JSON.stringify({ anthropic_version: "bedrock-2023-05-31", max_tokens: 9, messages: [] });
    const whole = await sdk().send(new InvokeModelCommand({ modelId: MODEL, body }));
    expect(JSON.parse(whole.body.transformToString())).toMatchObject(message);
    const streamed = await sdk().send(new InvokeModelWithResponseStreamCommand({ modelId: MODEL, body }));
    let chunks = 0;
    for await (const one of streamed.body ?? []) chunks += one.chunk === undefined ? 0 : 1;
    expect(chunks).toBe(4);
    const text = { modelId: "amazon.titan-embed-text-v2:0", body: JSON.stringify({ inputText: "Hi" }) };
    const embedded = await sdk().send(new InvokeModelCommand(text));
    expect(JSON.parse(embedded.body.transformToString())).toMatchObject({ embedding: [0.1, 0.2] });
    await settled();
    expect(service.runs).toMatchObject([
      { model: MODEL, usage: { input_tokens: 4, output_tokens: 5 } },
      { model: MODEL, usage: { input_tokens: 4, output_tokens: 5 } },
      { model: "amazon.titan-embed-text-v2:0", usage: { input_tokens: 3, output_tokens: 0 } },
    ]);
  });

  test("throws a refusal with its status and its reason, and nothing is sent", async () => {
    const details = { cap_usd: "1", spent_usd: "1", resets_at: "2026-01-01T00:00:00+00:00" };
    service.judge = () => refuse("spend_cap_exceeded", details);
    const error = await sdk()
      .send(new ConverseCommand(ask))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: "ServiceQuotaExceededException",
      $metadata: { httpStatusCode: 402 },
      error: { code: "spend_cap_exceeded", details },
    });
    expect(sent).toEqual([]);
  });

  test("cannot call a resource by its address, which would hide the model", async () => {
    const modelId = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc";
    const error = await sdk()
      .send(new ConverseCommand({ ...ask, modelId }))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 400 } });
    expect(sent).toEqual([]);
  });

  test("follows a fallback by the path, and each try is signed by itself", async () => {
    const other = "eu.amazon.nova-micro-v1:0";
    service.rules = [
      { name: "on", then: [{ model: other, provider: null }], on: ["provider_error"], begins: false },
    ];
    answer = (one) =>
      one.url.pathname.includes("claude") ? new Response("{}", { status: 503 }) : usualAnswer(one);
    const { output } = await sdk().send(new ConverseCommand(ask));
    expect(output?.message?.content?.[0]?.text).toBe("Hello there.");
    expect(sent.map((one) => one.url.pathname)).toEqual([
      `/model/${encodeURIComponent(MODEL)}/converse`,
      `/model/${encodeURIComponent(other)}/converse`,
    ]);
    for (const one of sent) expect(one.headers.get("authorization")).toBe(signatureOf(one));
  });
});

test("a path is signed and sent as Amazon's own SDK spells it, however the caller does", async () => {
  const { modelId, ...body } = ask;
  const headers = { authorization: `Bearer ${SMALL_KEY}`, "content-type": "application/json" };
  const to = `${base}/bedrock/model/${modelId}/converse`;
  await fetch(to, { method: "POST", headers, body: JSON.stringify(body) });
  expect(sent[0]?.url.pathname).toBe(`/model/${encodeURIComponent(MODEL)}/converse`);
  expect(sent[0]?.headers.get("authorization")).toBe(sent[0] && signatureOf(sent[0]));
});

describe("the key", () => {
  test("of Bedrock itself is sent as it is", async () => {
    start({ key: "ABSKbedrock-key-0123456789", url: URL_OF_REGION });
    await sdk().send(new ConverseCommand(ask));
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer ABSKbedrock-key-0123456789");
    expect(sent[0]?.headers.get("x-amz-date")).toBeNull();
  });

  test("may have the token of a session, and an organization may have its own", async () => {
    service.keys.set("bedrock", {
      secret: `${ID}:${SECRET}:session/token+1==`,
      base_url: URL_OF_REGION,
      headers: {},
      models: null,
    });
    start({});
    await sdk().send(new ConverseCommand(ask));
    expect(sent[0]?.headers.get("x-amz-security-token")).toBe("session/token+1==");
    expect(sent[0]?.headers.get("authorization")).toBe(sent[0] && signatureOf(sent[0]));
  });

  test("that Amazon refuses is the operator's to hear of: neither key nor account is shown", async () => {
    answer = () =>
      Response.json(
        { message: `User: arn:aws:iam::123456789012:user/proxy with ${ID} is not authorized` },
        { status: 403, headers: { "x-amzn-errortype": "AccessDeniedException" } },
      );
    const error = (await sdk()
      .send(new ConverseCommand(ask))
      .catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 502 } });
    expect(JSON.stringify(error) + error.message).not.toMatch(/123456789012|AKIA/);
    await settled();
    expect(service.runs).toMatchObject([{ outcome: "failed" }]);
  });

  test("is removed from any other error", async () => {
    answer = () => Response.json({ message: `bad ${ID} ${SECRET}` }, { status: 400 });
    const error = await sdk()
      .send(new ConverseCommand(ask))
      .catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("bad [key] [key]");
  });

  test("is the proxy's where a caller signs: a signature is for one address", async () => {
    start({ key: `${ID}:${SECRET}`, url: URL_OF_REGION }, { ownKeys: true });
    const client = new BedrockRuntimeClient({
      endpoint: `${base}/bedrock`,
      region: "eu-west-1",
      requestHandler: new NodeHttpHandler(),
      credentials: { accessKeyId: "AKIAOFTHECALLER00000", secretAccessKey: "x", sessionToken: "theirs" },
    });
    client.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers["x-sluice-key"] = SMALL_KEY;
        return next(args);
      },
      { step: "build" },
    );
    await client.send(new ConverseCommand(ask));
    expect(sent[0]?.headers.get("authorization")).toBe(sent[0] && signatureOf(sent[0]));
    expect(sent[0]?.headers.get("x-amz-security-token")).toBeNull();
  });
});
