import type { Refusals } from "./generated/types.ts";

export type RefusalCode = keyof Refusals;

/** Every error that this package throws by itself. */
export class SluiceError extends Error {
  override name = "SluiceError";
}

/** How long to wait where nobody has said it. */
const DEFAULT_WAIT_MS = 1000;

/** The service could not be reached, or what answered was not the service. */
export class Unreachable extends SluiceError {
  override name = "Unreachable";
  /** The status of an answer that was not the service's. */
  readonly status: number | null;
  /** How long to wait before the same call may succeed; null if waiting does not help. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { status = null, cause, headers }: UnreachableBy) {
    super(message, { cause });
    this.status = status;
    const isPassing = status === null || status === 429 || status >= 500;
    this.retryAfterMs = retryAfterMs(headers ?? new Headers()) ?? (isPassing ? DEFAULT_WAIT_MS : null);
  }

  /** The connection was lost, rather than that the time was over or somebody else answered. */
  get isConnectionLost(): boolean {
    // A page that is no JSON came over a connection that held.
    const { cause } = this;
    return cause !== undefined && !(cause instanceof Unreachable) && !(cause instanceof SyntaxError);
  }
}

interface UnreachableBy {
  readonly status?: number | null;
  readonly cause?: unknown;
  /** The headers of an answer that was not the service's. */
  readonly headers?: Headers;
}

interface RefusedWith<C extends RefusalCode> extends SluiceError {
  readonly code: C;
  readonly status: Refusals[C]["status"];
  /** The service's own message, without what this package adds. */
  readonly reason: string;
  readonly details: Refusals[C]["details"];
  /** How long to wait before the same call can succeed; null if waiting does not help. */
  readonly retryAfterMs: number | null;
  /** Names the request in the service's log. */
  readonly traceId: string | null;
}

/**
 * The service refused the call. Switch on `code`: each has `details` of its own. New codes may be added, so have a
 * default.
 */
export type Refused = { [C in RefusalCode]: RefusedWith<C> }[RefusalCode];

interface RefusalBody {
  readonly code: string;
  readonly message: string;
  readonly details: object;
}

class RefusedError extends SluiceError {
  override name = "Refused";
  readonly code: string;
  readonly status: number;
  readonly reason: string;
  readonly details: object;
  readonly retryAfterMs: number | null;
  readonly traceId: string | null;

  constructor(
    { code, message, details }: RefusalBody,
    { status, headers }: Pick<Response, "status" | "headers">,
  ) {
    const traceId = headers.get("x-svc-trace-id");
    super(`${code} (${status}): ${message}${fieldsText(details)}${traceId ? ` [trace ${traceId}]` : ""}`);
    this.code = code;
    this.status = status;
    this.reason = message;
    this.details = details;
    this.retryAfterMs = retryAfterMs(headers);
    this.traceId = traceId;
  }
}

export const Refused = RefusedError as unknown as {
  new (given: RefusalBody, response: Pick<Response, "status" | "headers">): Refused;
  readonly prototype: Refused;
};

/** The fields that were wrong, which are what a reader looks for first. */
function fieldsText(details: object): string {
  const { fields } = details as { fields?: unknown };
  if (!Array.isArray(fields)) return "";
  return fields.map(({ field, message }) => ` ${field}: ${message}.`).join("");
}

function retryAfterMs(headers: Headers): number | null {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return seconds >= 0 ? seconds * 1000 : null;
}

/** The refusal in a response's body; null if the body is no answer of the service. */
export function refusalIn(text: string, response: Response): Refused | null {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<RefusalBody> };
    if (typeof error?.code !== "string" || typeof error.message !== "string") return null;
    return new Refused({ code: error.code, message: error.message, details: error.details ?? {} }, response);
  } catch {
    return null;
  }
}
