import { readBody } from "../providers/body/request-body.ts";
import { findProviderRoute, isProvidersAddress, type ProviderRoute } from "../providers/by-url.ts";
import { reservedVariant } from "../providers/charge.ts";
import { readListedRequest } from "../providers/listed-request.ts";
import { type MeteredCall, meter, meteringFrom, type SomeMetering } from "../providers/metering.ts";
import type { Bounds, ProviderApi } from "../providers/provider-api.ts";
import { answerReader, isEventStream } from "../providers/usage/reading.ts";
import { Unmetered } from "../providers/unmetered.ts";
import { isProvidersFault, modelText, type NextModel } from "./fallbacks.ts";
import { isLostAnswer, wasNotSent } from "./lost-call.ts";
import { type ReadRequest, requestFor } from "./fetch-fallbacks.ts";
import { makeCall, thrower, type Way } from "./tries.ts";
import { begin, type Call, type CallFields, type CallGate, type GovernedCall } from "./governed-call.ts";
import { checkOtherPaths, type OtherPaths, otherPrice, pathRefusal } from "./other-paths.ts";
import { refusalOf, refusalResponse } from "./refusal-response.ts";
import { type LeavePolicy, settledBody, USUAL_LEAVE } from "./settled-body.ts";
import { UsageEventFilter } from "./usage-event.ts";

export { createGate, Refused, SluiceError, Unreachable } from "../client/gate/index.ts";

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface GovernedFetchOptions extends SomeMetering {
  readonly gate: CallGate;
  /** Whom and what calls are for, such as `customer_id`, `workflow_id` or `tags`; or a function that says it for each call. */
  readonly ask?: CallFields | ((request: { readonly url: URL; readonly headers: Headers }) => CallFields);
  /** The provider's name in the price book. Default: by the host; `openai` or `anthropic` by the path where it is not known. */
  readonly provider?: string;
  /** Models by the names of their deployments, for Azure. */
  readonly deployments?: Readonly<Record<string, string>>;
  /** Calls that are allowed at a price each, although they are not metered, such as `{"POST /v1/batches": "2.50"}`. */
  readonly otherPaths?: OtherPaths;
  /** True if a cost in dollars that the provider tells is charged. */
  readonly trustsCost?: boolean;
  /**
   * Keys of other providers, by their names, such as `{groq: "…"}`. With them, a fallback of the organization can go on to a model of
   * another provider. Without, it goes on to models of the same provider only.
   */
  readonly fallbackKeys?: Readonly<Record<string, string>>;
  /** The end of a stream that the caller aborts: stopped after the grace (default), or read to its end. */
  readonly onLeave?: "stop" | "finish";
  /** How long a stream is read on after its caller has left. Default: 2,000. */
  readonly leaveGraceMs?: number;
  /** Default: the runtime's own. */
  readonly fetch?: Fetch;
  /** In a Worker: `(work) => ctx.waitUntil(work)`. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
}

/**
 * A `fetch` for the SDKs of OpenAI and Anthropic that asks before each call and settles it when its answer ends, however that
 * is. A refusal is an answer with the refusal's status, which SDKs throw as an error of theirs.
 */
export function governedFetch(options: GovernedFetchOptions): Fetch {
  checkOtherPaths(options.otherPaths ?? {}, "otherPaths");
  return async (input, init) => {
    const request = await readRequest(input, init);
    const at = findProviderRoute(request.method, request.url, options.provider);
    try {
      const governed = await governedCall(request, at, options);
      return await makeCall({
        gate: options.gate,
        ask: governed.call.ask,
        own: wayOf({ governed, request, init, options }),
        wayTo: async (next) => {
          const sending = await sendingTo(next, { at, request, init, options });
          return sending === null ? null : wayOf(sending);
        },
        isGone: () => request.gone.aborted,
      });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      return refusalResponse(refusal, at.provider.errorBody);
    }
  };
}

function wayOf(sending: RequestToSend): Way<Response> {
  const { governed, options } = sending;
  const { ask } = governed.call;
  return {
    name: `${ask.provider} ${ask.model}`,
    decide: (next) => {
      const id = next?.requestId === undefined ? {} : { request_id: next.requestId };
      return begin({ ...governed.call, ask: { ...ask, ...id }, insteadOf: next?.insteadOf });
    },
    async send(call) {
      options.waitUntil?.(call.ended);
      try {
        const answer = await send(call, sending);
        const isFault = !answer.ok && isProvidersFault(answer.status, false);
        const failure = answer.ok ? null : isFault ? "unbilled" : "final";
        return {
          answer: () => answer,
          failure,
          discard: () => void answer.body?.cancel().catch(() => undefined),
        };
      } catch (error) {
        return { answer: thrower(error), failure: wasNotSent(error) ? "unbilled" : "final" };
      }
    },
  };
}

/** The call with another model. Null where it cannot be made with it. */
async function sendingTo(
  next: NextModel,
  { at, request, init, options }: Omit<RequestToSend, "governed"> & { readonly at: ProviderRoute },
): Promise<RequestToSend | null> {
  const elsewhere = requestFor(next, request, {
    at,
    keys: options.fallbackKeys,
    deployments: options.deployments,
  });
  if (elsewhere === null) return null;
  try {
    const isSame = elsewhere.at.provider === at.provider;
    const own = isSame ? options : { ...options, provider: elsewhere.at.provider.prices };
    const governed = await governedCall(elsewhere.request, elsewhere.at, own, next.model);
    return { governed, request: elsewhere.request, init, options };
  } catch {
    return null;
  }
}

async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<ReadRequest> {
  const request = new Request(input, init);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const gone = init?.signal ?? request.signal;
  return {
    url: new URL(request.url),
    method: request.method,
    headers: new Headers(request.headers),
    bytes,
    gone,
  };
}

/** A call, and its body as it goes on. */
interface GovernedRequest {
  readonly call: Call;
  readonly api: ProviderApi | null;
  readonly metered: MeteredCall | null;
  readonly write: (bounds: Bounds) => BodyInit | null;
  /** Undefined: as it came. */
  readonly contentType?: string | null;
}

async function governedCall(
  request: ReadRequest,
  { provider, route }: ProviderRoute,
  options: GovernedFetchOptions,
  /** The model to call in place of the one that the body or the path names. */
  chosen?: string,
): Promise<GovernedRequest> {
  const { gate, waitUntil, trustsCost, deployments = {} } = options;
  const fields = typeof options.ask === "function" ? options.ask(request) : options.ask;
  const name = options.provider ?? provider.prices;
  if (route.kind !== "metered") {
    const cost_usd = route.kind === "free" ? "0" : otherCost(request, route.kind, options);
    const call = {
      gate,
      waitUntil,
      metered: null,
      ask: { provider: name, ...fields, estimate: { cost_usd } },
    };
    return {
      call,
      api: null,
      metered: null,
      write: () => (request.bytes.byteLength === 0 ? null : request.bytes),
    };
  }
  if (request.headers.has("content-encoding"))
    throw new Unmetered(400, "Send the body without content-encoding.");
  const { api } = route;
  const { headers } = request;
  const query = new URLSearchParams(request.url.searchParams);
  query.delete(provider.keyParameter ?? "");
  const pathModel = route.pathModel === null ? null : (deployments[route.pathModel] ?? route.pathModel);
  const sent = await readBody(api, request.bytes, request.headers.get("content-type"));
  const isNamed = pathModel === null || "model" in sent.members;
  const body = chosen === undefined || !isNamed ? sent : sent.withModel(pathModel ?? chosen);
  const metering = meteringFrom(options);
  const { hostedToolPasses } = metering;
  const read = readListedRequest(api, body.members, {
    hostedToolPasses,
    pathModel,
    query,
    headers,
    facts: (model) => provider.facts(model),
  });
  const metered = meter(read, provider.facts(read.model), metering);
  const variant = { variant: reservedVariant(read) ?? undefined };
  const own = chosen === undefined ? {} : { model: read.model, provider: name };
  const ask = {
    model: read.model,
    provider: name,
    ...variant,
    ...fields,
    ...own,
    estimate: metered.estimate,
  };
  return {
    call: {
      gate,
      waitUntil,
      trustsCost,
      isOtherHost: !isProvidersAddress(request.url),
      metered,
      ask,
      traceparent: headers.get("traceparent"),
    },
    api,
    metered,
    write: (bounds) => body.write(api.withBounds(body.members, { ...bounds, hostedToolPasses })),
    contentType: body.contentType,
  };
}

function otherCost(
  request: ReadRequest,
  kind: "never" | "unknown",
  { otherPaths }: GovernedFetchOptions,
): string {
  const price = kind === "never" ? undefined : otherPrice(otherPaths, request.method, request.url.pathname);
  if (price !== undefined) return price;
  throw new Unmetered(403, pathRefusal(kind, "the option `otherPaths` of governedFetch").message);
}

/** A call that is not a stream is waited for this long after its caller has left: only its end says what it costs. */
const LONGEST_REST_MS = 600_000;

interface RequestToSend {
  readonly governed: GovernedRequest;
  readonly request: ReadRequest;
  readonly init: RequestInit | undefined;
  readonly options: GovernedFetchOptions;
}

/** The provider does not hear at once that its caller has left: the answer is read on, to see what it costs. */
async function send(
  call: GovernedCall,
  { governed, request, init, options }: RequestToSend,
): Promise<Response> {
  const { gone, url, method } = request;
  const stop = new AbortController();
  const { onLeave, leaveGraceMs: graceMs = USUAL_LEAVE.graceMs } = options;
  const leave: LeavePolicy = { graceMs, readsToEnd: onLeave === "finish" };
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  if (governed.contentType === null) headers.delete("content-type");
  else if (governed.contentType !== undefined) headers.set("content-type", governed.contentType);
  const body = governed.write(call.bounds);
  const sent = (options.fetch ?? fetch)(url.href, { ...init, method, headers, body, signal: stop.signal });
  const waitMs = call.isStream && !leave.readsToEnd ? leave.graceMs : LONGEST_REST_MS;
  const answered = sent.then(
    (answer) => settled(answer, { call, governed, leave, gone, stop }),
    (error: unknown) => {
      if (wasNotSent(error)) call.fail();
      else if (stop.signal.aborted || gone.aborted) call.cancel(null);
      else call.lose();
      throw error;
    },
  );
  return untilGone(answered, gone, () => {
    const timer = setTimeout(() => stop.abort(gone.reason), waitMs);
    void answered
      .then((answer) => answer.body?.cancel())
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
  });
}

/** The answer, or an error as soon as the caller is gone. */
function untilGone(answered: Promise<Response>, gone: AbortSignal, onGone: () => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      onGone();
      reject(gone.reason as Error);
    };
    if (gone.aborted) leave();
    else gone.addEventListener("abort", leave, { once: true });
    answered.then(resolve, reject).finally(() => gone.removeEventListener("abort", leave));
  });
}

interface AnswerToSettle {
  readonly call: GovernedCall;
  readonly governed: GovernedRequest;
  readonly leave: LeavePolicy;
  readonly gone: AbortSignal;
  readonly stop: AbortController;
}

/** A provider's answer, whose end settles the call. */
function settled(answer: Response, { call, governed, leave, gone, stop }: AnswerToSettle): Response {
  const { api, metered } = governed;
  if (!answer.ok) {
    if (isLostAnswer(answer.status)) call.lose();
    else call.fail();
    return answer;
  }
  if (answer.body === null) {
    call.finish(null);
    return answer;
  }
  const { status, statusText } = answer;
  const headers = withOurs(answer.headers, call.outputBound, governed.call.ask.model);
  const contentType = headers.get("content-type");
  const isFiltered = api !== null && metered?.request.showsUsageEvent === false && isEventStream(contentType);
  const passage = settledBody(answer.body as ReadableStream<Uint8Array>, {
    call,
    reader: answerReader(api, contentType),
    leave,
    filter: isFiltered ? new UsageEventFilter(api) : undefined,
    stop: (reason) => stop.abort(reason),
  });
  const onGone = () => void passage.leave(gone.reason);
  if (gone.aborted) onGone();
  else gone.addEventListener("abort", onGone, { once: true });
  return withUrl(new Response(passage.readable, { status, statusText, headers }), answer.url);
}

/** Only we say which bound was written into the request, and which model was called. */
function withOurs(given: Headers, maxOutputTokens: number | null, model: string | undefined): Headers {
  const headers = new Headers(given);
  headers.delete("x-sluice-max-output-tokens");
  headers.delete("x-sluice-model");
  if (model !== undefined) headers.set("x-sluice-model", modelText(model));
  if (maxOutputTokens !== null) headers.set("x-sluice-max-output-tokens", String(maxOutputTokens));
  return headers;
}

/** A new response has no address, and SDKs show it in their logs. */
function withUrl(response: Response, url: string): Response {
  Object.defineProperty(response, "url", { value: url });
  return response;
}
