import { parseRetryAfter } from "../domain/webhook/delivery.ts";
import {
  nameToResolve,
  neverResolves,
  resolvesToPublic,
  type UrlRules,
  webhookUrlProblem,
} from "../domain/webhook/url.ts";
import type { Settings } from "../settings.ts";
import { type Resolve, resolveName } from "./resolve.ts";

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4096;

export interface Letter {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Default: POST. */
  readonly method?: "POST" | "PUT";
  readonly timeoutMs?: number;
}

/** The result of posting a letter. Every outcome is a value: nothing here throws. */
export interface PostResult {
  readonly statusCode: number | null;
  readonly retryAfterMs: number | null;
  readonly latencyMs: number;
  /** Why there is no status code. */
  readonly error: PostError | null;
  /** The start of the response, for the receiver's owner to read. */
  readonly excerpt: string;
}

type PostError = "address_refused" | "unresolved" | "timeout" | "connection_failed" | "unconfirmed";

export interface PostOptions extends UrlRules {
  readonly resolve?: Resolve;
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
}

/** The rules for addresses under these settings. */
export function outboundRules(settings: Settings): UrlRules {
  const own = [settings.SVC_BASE_URL, ...Object.values(settings.SVC_REGIONS)];
  return {
    allowPrivate: settings.SVC_WEBHOOK_ALLOW_PRIVATE,
    ownHosts: own.filter((text) => URL.canParse(text)).map((text) => new URL(text).hostname),
  };
}

/**
 * Posts to an address chosen by someone else. The address is checked again, with everything that its name resolves to
 * now. Redirects are not followed, and at most 4 KiB of the response are read.
 */
export async function post(letter: Letter, options: PostOptions): Promise<PostResult> {
  const startedAt = Date.now();
  const clock = new AbortController();
  const { signal } = clock;
  // Not `AbortSignal.timeout`, because its timer would outlive the response and keep the object in memory.
  const timer = setTimeout(() => clock.abort(), options.timeoutMs ?? letter.timeoutMs ?? TIMEOUT_MS);
  const tooLate = aborted(signal);
  const failed = (error: PostError): PostResult => ({
    statusCode: null,
    retryAfterMs: null,
    latencyMs: Date.now() - startedAt,
    error,
    excerpt: "",
  });
  try {
    const refused = await Promise.race([addressProblem(letter.url, options), tooLate]);
    if (refused !== null) return failed(refused);
    const answer = await (options.fetch ?? fetch)(letter.url, {
      method: letter.method ?? "POST",
      headers: letter.headers,
      body: letter.body,
      redirect: "manual",
      signal,
    });
    return {
      statusCode: answer.status,
      retryAfterMs: parseRetryAfter(answer.headers.get("retry-after"), Date.now()),
      latencyMs: Date.now() - startedAt,
      error: null,
      excerpt: await excerptOf(answer, tooLate),
    };
  } catch {
    return failed(signal.aborted ? "timeout" : "connection_failed");
  } finally {
    clearTimeout(timer);
  }
}

/** Checks an address as it is now. It may have changed since the subscription was made. */
export async function addressProblem(
  url: string,
  { resolve = resolveName, ...rules }: UrlRules & { resolve?: Resolve },
): Promise<"address_refused" | "unresolved" | null> {
  if (webhookUrlProblem(url, rules) !== null) return "address_refused";
  const name = nameToResolve(url);
  if (name !== null && neverResolves(name)) return "unresolved";
  if (name === null || rules.allowPrivate) return null;
  try {
    const addresses = await resolve(name);
    if (addresses.length === 0) return "unresolved";
    return resolvesToPublic(addresses) ? null : "address_refused";
  } catch {
    return "unresolved";
  }
}

/** Rejects when the time is up. One promise for the whole call, whichever step is waiting. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  promise.catch(() => undefined);
  return promise;
}

/** The status is the result. A body that stalls, breaks off or never ends does not change it. */
async function excerptOf(answer: Response, tooLate: Promise<never>): Promise<string> {
  const reader = answer.body?.getReader();
  if (reader === undefined) return "";
  const bytes = new Uint8Array(MAX_ANSWER_BYTES);
  let length = 0;
  try {
    while (length < MAX_ANSWER_BYTES) {
      const { done, value } = await Promise.race([reader.read(), tooLate]);
      if (done) break;
      const part = (value as Uint8Array).subarray(0, MAX_ANSWER_BYTES - length);
      bytes.set(part, length);
      length += part.length;
    }
  } catch {
    // The part that was read so far is the excerpt.
  }
  void reader.cancel().catch(() => undefined);
  return new TextDecoder().decode(bytes.subarray(0, length));
}
