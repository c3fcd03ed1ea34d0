import { Refused, Unreachable } from "../client/errors.ts";
import type { ApiName } from "./provider-api.ts";

/** A refusal as it goes over the wire. */
export interface WireRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: object;
  readonly retryAfterMs?: number | null;
  readonly traceId?: string | null;
}

/** The refusal in an error of the gate. Null: the error is another one. */
export function refusalOf(error: unknown): WireRefusal | null {
  if (error instanceof Refused) {
    const { status, code, reason, details, retryAfterMs, traceId } = error;
    return { status, code, message: reason, details, retryAfterMs, traceId };
  }
  if (!(error instanceof Unreachable)) return null;
  const message = "Sluice could not be reached to decide this call. Try again later.";
  return { status: 503, code: "service_unavailable", message, details: {} };
}

/** Which family of SDKs reads the answer. */
export type Dialect = "openai" | "anthropic";

export function dialectOf(api: ApiName | null): Dialect {
  return api === "messages" ? "anthropic" : "openai";
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
};

/** Refusals that the same call may pass later. The SDKs send a 409 or 429 again unless they are told not to. */
const PASSING = new Set(["rate_limited", "service_unavailable", "bad_gateway"]);

/**
 * The refusal with the service's status and envelope. What the SDKs look for in an error is added inside: `type` and `param`
 * for OpenAI's; the outer `type` and an error type of theirs for Anthropic's.
 */
export function refusalResponse(refusal: WireRefusal, dialect: Dialect): Response {
  const { status, code, message, details, retryAfterMs, traceId } = refusal;
  const error = { code, message, details };
  const body =
    dialect === "openai"
      ? { error: { ...error, type: "sluice_refusal", param: null } }
      : { type: "error", error: { ...error, type: anthropicType(status) } };
  const headers = new Headers({
    "content-type": "application/json",
    "x-should-retry": String(PASSING.has(code)),
  });
  if (typeof retryAfterMs === "number") headers.set("retry-after", String(Math.ceil(retryAfterMs / 1000)));
  if (typeof traceId === "string") headers.set("x-svc-trace-id", traceId);
  return new Response(JSON.stringify(body), { status, headers });
}

function anthropicType(status: number): string {
  return ANTHROPIC_TYPES[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
}
