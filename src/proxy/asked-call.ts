import { type Expected, expectedOf } from "../adapters/estimate.ts";
import type { Call } from "../adapters/governed-call.ts";
import { type ApiName, isFree } from "../adapters/provider-api.ts";
import type { WireRefusal } from "../adapters/refusal-response.ts";
import { isObject } from "../adapters/usage/provider-usage.ts";
import type { CallFacts } from "./call-fields.ts";
import type { ProxyOptions } from "./options.ts";
import type { Target } from "./target.ts";

type Body = Readonly<Record<string, unknown>>;

export interface AskedCall extends Pick<Call, "ask" | "expected"> {
  /** As it goes to the provider. */
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface Given {
  readonly method: string;
  readonly target: Target;
  readonly api: ApiName | null;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What a request asks to spend: by its tokens where they are counted, else by an estimate. */
export function askedCall(given: Given, facts: CallFacts, options: ProxyOptions): AskedCall | WireRefusal {
  const { api, body, target } = given;
  const json = isJson(given.headers) || api !== null ? objectIn(body) : null;
  const { estimateUsd, fields } = facts;
  const { provider } = target;
  if (api === null) {
    const model = typeof json?.["model"] === "string" ? json["model"] : undefined;
    const { otherEstimateUsd = "0.01" } = options;
    const cost_usd = estimateUsd ?? (isFree(given.method) ? "0" : otherEstimateUsd);
    return { ask: { model, provider, ...fields, estimate: { cost_usd } }, expected: null, body };
  }
  if (given.headers.has("content-encoding")) return badRequest("Send the body without content-encoding.");
  const expected = json === null ? null : expectedOf(api, json);
  if (json === null || expected?.model === undefined) {
    return badRequest('Send a body in JSON with a "model".');
  }
  return {
    ask: { model: expected.model, provider, ...fields, estimate: estimateOf(expected, estimateUsd) },
    expected,
    body: api === "chat" && options.addsStreamUsage === true ? withStreamUsage(json, body) : body,
  };
}

function estimateOf(expected: Expected, cost_usd: string | null): Call["ask"]["estimate"] {
  const { inputTokens: input_tokens, maxOutputTokens: max_output_tokens } = expected;
  return { input_tokens, max_output_tokens, ...(cost_usd === null ? {} : { cost_usd }) };
}

/** A caller that says whether it wants the usage is left alone. */
function withStreamUsage(json: Body, body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const options = json["stream_options"];
  if (json["stream"] !== true || (isObject(options) && "include_usage" in options)) return body;
  const added = { ...(isObject(options) ? options : {}), include_usage: true };
  return Uint8Array.from(new TextEncoder().encode(JSON.stringify({ ...json, stream_options: added })));
}

function isJson(headers: Headers): boolean {
  return /^application\/json\b/i.test(headers.get("content-type") ?? "");
}

function objectIn(body: Uint8Array): Body | null {
  try {
    const value = JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body),
    ) as unknown;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function badRequest(message: string): WireRefusal {
  return { status: 400, code: "bad_request", message, details: {} };
}
