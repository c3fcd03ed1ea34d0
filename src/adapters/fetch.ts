import { expectedOf } from "./estimate.ts";
import { begin, type Call, type CallFields, type CallGate, type GovernedCall } from "./governed-call.ts";
import { type ApiName, apiOf, isFree, usualProvider } from "./provider-api.ts";
import { dialectOf, refusalOf, refusalResponse } from "./refusal-response.ts";
import { isAbort, settledResponse } from "./settled-response.ts";
import { isObject } from "./usage/provider-usage.ts";

export { createGate, Refused, SluiceError, Unreachable } from "../client/gate/index.ts";

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface GovernedFetchOptions {
  readonly gate: CallGate;
  /** Whom and what calls are for, such as `customer_id`, `workflow_id` or `tags`; or a function that says it for each call. */
  readonly ask?: CallFields | ((request: { readonly url: URL; readonly headers: Headers }) => CallFields);
  /** Default: `anthropic` for messages, else `openai`. */
  readonly provider?: string;
  /** What calls cost that are not counted in tokens, such as pictures. Default: "0.01". Reading and deleting is free. */
  readonly otherEstimateUsd?: string;
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
  return async (input, init) => {
    const request = await requestOf(input, init);
    const { url, method } = request;
    const api = apiOf(method, url.pathname);
    const send = () => (options.fetch ?? fetch)(input, init);
    if (api === null && isFree(method)) return send();
    let call: GovernedCall;
    try {
      call = await begin(callOf(request, api, options));
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      return refusalResponse(refusal, dialectOf(api));
    }
    return answerOf(call, send, init?.signal);
  };
}

async function answerOf(
  call: GovernedCall,
  send: () => Promise<Response>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  try {
    return settledResponse(await send(), call);
  } catch (error) {
    if (signal?.aborted === true || isAbort(error)) call.cancel(null);
    else call.fail();
    throw error;
  }
}

interface Asked {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly text: string;
}

async function requestOf(input: string | URL | Request, init: RequestInit | undefined): Promise<Asked> {
  const isRequest = input instanceof Request;
  const method = (init?.method ?? (isRequest ? input.method : "GET")).toUpperCase();
  const headers = new Headers(init?.headers ?? (isRequest ? input.headers : {}));
  const url = new URL(isRequest ? input.url : input);
  const body = init?.body;
  if (typeof body === "string") return { url, method, headers, text: body };
  if (body instanceof Uint8Array) return { url, method, headers, text: new TextDecoder().decode(body) };
  // Bodies of other kinds can be read once only, and belong to the provider.
  const text = isRequest && (body === undefined || body === null) ? await input.clone().text() : "";
  return { url, method, headers, text };
}

function callOf(request: Asked, api: ApiName | null, options: GovernedFetchOptions): Call {
  const { gate, waitUntil, otherEstimateUsd = "0.01" } = options;
  const body = objectIn(request.text);
  const expected = api === null || body === null ? null : expectedOf(api, body);
  const model = expected?.model ?? (typeof body?.["model"] === "string" ? body["model"] : undefined);
  const estimate =
    expected === null || expected.model === undefined
      ? { cost_usd: otherEstimateUsd }
      : { input_tokens: expected.inputTokens, max_output_tokens: expected.maxOutputTokens };
  const { provider = api === null ? undefined : usualProvider(api) } = options;
  const fields = typeof options.ask === "function" ? options.ask(request) : options.ask;
  return { gate, waitUntil, expected, ask: { model, provider, ...fields, estimate } };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const body = JSON.parse(text) as unknown;
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}
