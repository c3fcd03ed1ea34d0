import { Refused, Unreachable } from "../client/errors.ts";
import { objectOf } from "../providers/json.ts";
import { Unmetered } from "../providers/unmetered.ts";
import type { WireRefusal } from "../providers/wire-refusal.ts";

/** How long a caller should wait for a service that cannot be reached. */
const USUAL_RETRY_MS = 1000;

/** The refusal in an error of the gate or of the reader of requests. Null: the error is another one. */
export function refusalOf(error: unknown): WireRefusal | null {
  if (error instanceof Refused) {
    const { status, code, reason, details, traceId } = error;
    const isAway = status >= 500;
    const retryAfterMs = error.retryAfterMs ?? (isAway ? USUAL_RETRY_MS : null);
    return { status, code, message: reason, details, retryAfterMs, traceId };
  }
  if (error instanceof Unmetered) return unmeteredRefusal(error);
  if (!(error instanceof Unreachable)) return null;
  const message = "Sluice could not be reached to decide this call. Try again later.";
  return { status: 503, code: "service_unavailable", message, details: {}, retryAfterMs: USUAL_RETRY_MS };
}

function unmeteredRefusal({ status, message }: Unmetered): WireRefusal {
  return { status, code: UNMETERED_CODES[status], message, details: {} };
}

const UNMETERED_CODES = { 400: "bad_request", 403: "forbidden", 413: "payload_too_large" } as const;

/** Refusals that the same call may pass later. The SDKs send a 409 or 429 again unless they are told not to. */
const PASSING = new Set(["rate_limited", "service_unavailable", "bad_gateway"]);

/** The refusal with the service's status and envelope, and inside it what the SDKs of the API look for in an error. */
export function refusalResponse(refusal: WireRefusal, errorBody: (refusal: WireRefusal) => object): Response {
  const message = messageOf(refusal);
  const { status, code, retryAfterMs, traceId } = refusal;
  const headers = new Headers({
    "content-type": "application/json",
    "x-should-retry": String(PASSING.has(code)),
  });
  if (typeof retryAfterMs === "number") headers.set("retry-after", String(Math.ceil(retryAfterMs / 1000)));
  if (typeof traceId === "string") headers.set("x-svc-trace-id", traceId);
  return new Response(JSON.stringify(errorBody({ ...refusal, message })), { status, headers });
}

/** Tools that call models often show the message and nothing else of an error, so it names the fields that are invalid. */
function messageOf({ message, details }: WireRefusal): string {
  const { fields } = details as { readonly fields?: unknown };
  if (!Array.isArray(fields) || fields.length === 0) return message;
  const named = fields.map((problem) => {
    const { field, message: what } = objectOf(problem);
    return `${String(field)} ${String(what)}`;
  });
  return `Some fields are invalid: ${named.join("; ")}.`;
}
