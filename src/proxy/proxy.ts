import { begin, type GovernedCall } from "../adapters/governed-call.ts";
import { MOST_LAG_MS } from "../adapters/native-body.ts";
import { apiOf } from "../adapters/provider-api.ts";
import { refusalOf, type WireRefusal } from "../adapters/refusal-response.ts";
import { askedCall } from "./asked-call.ts";
import { badGateway } from "./answer.ts";
import { callFactsOf } from "./call-fields.ts";
import { headersTo } from "./headers.ts";
import { KeyGates } from "./key-gates.ts";
import type { Provider, ProxyOptions } from "./options.ts";
import { type OwnAnswer, ownAnswer } from "./own-answer.ts";
import { relay } from "./relay.ts";
import { bodyWithin } from "./request-body.ts";
import { type Target, targetOf } from "./target.ts";
import { Watch } from "./watch.ts";

/** What a proxy needs of the runtime: work that goes on after the response. */
export interface Context {
  waitUntil(work: Promise<unknown>): void;
}

export interface Proxy {
  fetch(request: Request, context: Context): Promise<Response>;
}

const USUAL = {
  mostBodyBytes: 33_554_432,
  longestSilenceMs: 600_000,
  longestAnswerMs: 3_600_000,
} as const;

/** A proxy before the APIs of providers. Whoever calls it brings a Sluice key, and never sees the provider's. */
export function createProxy(options: ProxyOptions): Proxy {
  const gates = new KeyGates(options);
  return {
    fetch: async (request, context) => {
      const startedAt = Date.now();
      const { log } = options;
      const { method } = request;
      const target = targetOf(new URL(request.url).pathname);
      if ("code" in target) return ownAnswer(target, { method, target: null, startedAt, log });
      const answer = await govern({ request, context, target, gates, options });
      return answer instanceof Response ? answer : ownAnswer(answer, { method, target, startedAt, log });
    },
  };
}

interface Governing {
  readonly request: Request;
  readonly context: Context;
  readonly target: Target;
  readonly gates: KeyGates;
  readonly options: ProxyOptions;
}

async function govern(governing: Governing): Promise<Response | OwnAnswer> {
  const { request, context, target, gates, options } = governing;
  const provider = options.providers[target.provider];
  if (provider === undefined) return notServed(target.provider);
  if (request.headers.has("upgrade")) return badRequest("WebSockets are not governed. Use HTTP.");
  const key = keyIn(request.headers);
  const gate = key === null ? null : gates.gateOf(key);
  if (key === null || gate === null) return UNAUTHORIZED;
  const facts = callFactsOf(request.headers, keyIdOf(key), options);
  if ("code" in facts) return facts;
  const body = await bodyWithin(request, options.mostBodyBytes ?? USUAL.mostBodyBytes);
  if ("code" in body) return body;
  const { method, headers } = request;
  const api = apiOf(method, target.path);
  const asked = askedCall({ method, target, api, headers, body }, facts, options);
  if ("code" in asked) return asked;
  const waitUntil = (work: Promise<unknown>) => context.waitUntil(work);
  const by = { key, ask: asked.ask };
  let call: GovernedCall;
  try {
    call = await begin({ gate, ask: asked.ask, expected: asked.expected, waitUntil });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return refusal.status === 401 ? refusal : { ...refusal, by };
  } finally {
    waitUntil(gates.keep(key, gate));
  }
  const answer = await send(governing, { call, provider, body: asked.body });
  return answer instanceof Response ? answer : { ...answer, by };
}

function send(
  { request, context, target, options }: Governing,
  { call, provider, body }: { call: GovernedCall; provider: Provider; body: Uint8Array<ArrayBuffer> },
): Promise<Response | WireRefusal> {
  const { longestSilenceMs = USUAL.longestSilenceMs, longestAnswerMs = USUAL.longestAnswerMs } = options;
  const watch = new Watch(longestSilenceMs, longestAnswerMs);
  // A Worker ends with its caller, unless there is work that it waits for.
  context.waitUntil(call.ended);
  const { method } = request;
  const url = provider.url.replace(/\/+$/, "") + target.path + new URL(request.url).search;
  const init: RequestInit = {
    method,
    headers: headersTo(provider, request.headers, target.provider === "anthropic"),
    redirect: "manual",
    signal: watch.signal,
    ...(body.byteLength === 0 ? {} : { body }),
  };
  return relay({
    call,
    provider,
    watch,
    gone: request.signal,
    send: () => (options.fetch ?? fetch)(url, init),
    // A body that the runtime passes on is looked at so rarely that less silence than that says nothing.
    isNative: options.fetch === undefined && longestSilenceMs > MOST_LAG_MS,
  }).catch(() => badGateway("The provider's answer could not be relayed."));
}

const UNAUTHORIZED: WireRefusal = {
  status: 401,
  code: "unauthorized",
  message: "No valid API key was sent. Send your Sluice key as `Authorization: Bearer` or as `x-api-key`.",
  details: {},
};

function keyIn(headers: Headers): string | null {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  return bearer ?? headers.get("x-api-key");
}

function keyIdOf(key: string): string {
  return `key_${/^svc_(?:live|test)_.{26}(.{26})_/.exec(key)?.[1] ?? ""}`;
}

function notServed(provider: string): WireRefusal {
  const message = `This proxy has no key for ${provider}. Its operator sets one.`;
  return { status: 404, code: "not_found", message, details: {} };
}

function badRequest(message: string): WireRefusal {
  return { status: 400, code: "bad_request", message, details: {} };
}
