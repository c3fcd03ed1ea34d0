import type { CallOptions, WithResponse } from "./answer.ts";
import { refusalIn, type Refused, Unreachable } from "./errors.ts";

/** The settings with which a client sends its requests. */
export interface Settings {
  readonly url: string;
  readonly key: string | undefined;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly longestWaitMs: number;
}

export interface PreparedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** True if sending it twice does no more than sending it once. */
  readonly isRepeatable: boolean;
  readonly isStream: boolean;
}

type Failure = Refused | Unreachable;

/** 1 s at the third attempt and 8 s from the sixth on, before jitter takes up to half of it. */
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 8000;

/** Sends a request, and sends it again where that is safe and may help. */
export async function send<T>(
  settings: Settings,
  request: PreparedRequest,
  options: CallOptions,
): Promise<WithResponse<T>> {
  const retries = options.maxRetries ?? settings.maxRetries;
  let mayBeDone = false;
  for (let attempt = 0; ; attempt += 1) {
    const got = await once<T>(settings, request, options);
    if ("data" in got) return got;
    const { failure, response } = got;
    // The resource is gone already: an attempt before this one deleted it, and its answer was lost.
    if (mayBeDone && response?.status === 404 && request.method === "DELETE") {
      return { data: undefined as T, response };
    }
    mayBeDone ||= failure instanceof Unreachable || failure.status >= 500;
    const waitMs = attempt < retries ? waitBefore(failure, request, attempt) : null;
    if (waitMs === null || waitMs > settings.longestWaitMs) throw failure;
    await pause(waitMs, options.signal);
  }
}

type AttemptResult<T> = WithResponse<T> | { readonly failure: Failure; readonly response?: Response };

async function once<T>(
  settings: Settings,
  request: PreparedRequest,
  options: CallOptions,
): Promise<AttemptResult<T>> {
  const { signal } = options;
  signal?.throwIfAborted();
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs;
  const timeout = new AbortController();
  const timer = setTimeout(
    () => timeout.abort(new Unreachable(`no answer within ${timeoutMs} ms`, {})),
    timeoutMs,
  );
  try {
    const response = await settings.fetch(settings.url + request.path, {
      method: request.method,
      headers: headersOf(settings, request, options),
      redirect: "manual",
      signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    if (response.ok && request.isStream) return { data: response as T, response };
    const text = await response.text();
    if (response.ok) return { data: (text === "" ? undefined : JSON.parse(text)) as T, response };
    return { failure: refusalIn(text, response) ?? notOurs(response), response };
  } catch (cause) {
    signal?.throwIfAborted();
    const reason = timeout.signal.aborted ? timeout.signal.reason : cause;
    const message = `${request.method} ${settings.url}${request.path}: ${reason?.message ?? reason}`;
    return { failure: new Unreachable(message, { cause: reason }) };
  } finally {
    clearTimeout(timer);
  }
}

function headersOf(
  { key }: Settings,
  request: PreparedRequest,
  options: CallOptions,
): Record<string, string> {
  return {
    ...request.headers,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(options.ifMatch === undefined ? {} : { "if-match": options.ifMatch }),
    ...options.headers,
  };
}

function notOurs({ status, url, headers }: Response): Unreachable {
  const message = `${url} answered ${status}, and not as Sluice does: check the address`;
  return new Unreachable(message, { status, headers });
}

/** How long to wait before another attempt; null if there is none. */
function waitBefore(failure: Failure, { isRepeatable }: PreparedRequest, attempt: number): number | null {
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt) * (1 - Math.random() / 2);
  if (failure instanceof Unreachable) {
    const { status } = failure;
    return isRepeatable && (status === null || status >= 502) ? backoffMs : null;
  }
  const { code, retryAfterMs } = failure;
  // Nothing was done where a limit on calls refused, so any call may be sent again.
  if (failure.status === 429) return retryAfterMs === null ? null : Math.max(retryAfterMs, backoffMs);
  const mayPass = code === "service_unavailable" || code === "idempotency_key_processing";
  return mayPass && isRepeatable ? Math.max(retryAfterMs ?? 0, backoffMs) : null;
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
