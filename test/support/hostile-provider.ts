import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createProxy, type ProxyOptions } from "../../src/proxy/index.ts";
import { PROVIDER_KEY } from "./governed.ts";
import { sharedServer } from "./server.ts";
import { LASTING } from "./lasting.ts";
import { PATIENCE_MS } from "./patience.ts";

export const CHAT = "/openai/v1/chat/completions";
/** What callers ask for, and an answer to it. */
export const body = JSON.stringify({
  model: "gpt-4o-mini",
  max_tokens: 1000,
  messages: [{ role: "user", content: "hi" }],
});
export const streaming = JSON.stringify({ ...JSON.parse(body), stream: true });
export const fine = JSON.stringify({
  id: "x",
  choices: [],
  usage: { prompt_tokens: 5, completion_tokens: 7 },
});

/** A provider that answers as a test says, and what it was sent. */
export async function providerThat(
  answer: RequestListener,
): Promise<{ url: string; got: IncomingMessage[] }> {
  const got: IncomingMessage[] = [];
  const server = createServer(LASTING, (request, response) => {
    got.push(request);
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

export interface ProxyCall extends RequestInit {
  readonly key?: string;
  readonly body?: string | ReadableStream;
  readonly duplex?: "half";
}

/** The proxy in this process, before a provider. */
export function proxyBefore(url: string, options: Partial<ProxyOptions> = {}) {
  const work: Promise<unknown>[] = [];
  const context = { waitUntil: (one: Promise<unknown>) => void work.push(one) };
  const provider = { url, key: PROVIDER_KEY };
  const proxy = createProxy({
    url: sharedServer().urls[0],
    orgs: "*",
    providers: { openai: provider, anthropic: provider },
    decisionTimeoutMs: PATIENCE_MS,
    ...options,
  });
  return (path: string, { key, headers, ...init }: ProxyCall = {}): Promise<Response> => {
    const sent = new Headers(headers);
    if (key !== undefined) sent.set("authorization", `Bearer ${key}`);
    if (init.body !== undefined && !sent.has("content-type")) sent.set("content-type", "application/json");
    const method = init.method ?? (init.body === undefined ? "GET" : "POST");
    return proxy.fetch(new Request(`http://proxy.test${path}`, { ...init, method, headers: sent }), context);
  };
}
