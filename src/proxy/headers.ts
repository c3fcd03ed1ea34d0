/** Of one connection only (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
] as const;

/** Would turn the call into another one. */
const OVERRIDES = [
  "x-http-method",
  "x-http-method-override",
  "x-method-override",
  "x-original-url",
  "x-rewrite-url",
] as const;

/** The caller's own, or ours to say: its keys and signatures, its address, its account at the provider, how bodies are sent. */
const NOT_SENT = new Set<string>([
  ...HOP_BY_HOP,
  ...OVERRIDES,
  "accept-encoding",
  "api-key",
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "openai-organization",
  "openai-project",
  "origin",
  "referer",
  "x-api-key",
  "x-goog-api-key",
  "x-real-ip",
]);
/** Callers that come from another gateway may still send its headers, and its key in one of them. */
const OTHER_GATEWAYS = ["helicone-", "x-portkey-", "x-litellm-"] as const;
const NOT_SENT_PREFIXES = ["x-sluice-", "x-forwarded-", "cf-", "x-svc-", "x-amz-", ...OTHER_GATEWAYS];

/** The provider's account is not the caller's to see, and only we name our runs and traces. Bodies are relayed decoded. */
const NOT_RELAYED = new Set<string>([
  ...HOP_BY_HOP,
  "alt-svc",
  "content-encoding",
  "content-length",
  "location",
  "openai-organization",
  "openai-project",
  "anthropic-organization-id",
  "set-cookie",
  "strict-transport-security",
  "x-sluice-max-output-tokens",
  "x-sluice-model",
  "x-sluice-run-id",
  "x-svc-trace-id",
]);

/** Where SDKs put the key of a provider. */
export const KEY_HEADERS = ["authorization", "x-api-key", "api-key", "x-goog-api-key"] as const;

export interface Outgoing {
  /** The headers that are sent beside the caller's own, and in place of them: the key above all. */
  readonly added: readonly (readonly [name: string, value: string])[];
  /** Null: the runtime sets it. */
  readonly contentType: string | null;
}

export function headersTo({ added, contentType }: Outgoing, given: Headers): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    const isOurs = NOT_SENT.has(name) || NOT_SENT_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (!isOurs && !named.has(name)) headers.set(name, value);
  }
  headers.set("accept-encoding", "identity");
  if (contentType !== null) headers.set("content-type", contentType);
  for (const [name, value] of added) headers.set(name, value);
  return headers;
}

/** Without anything that has a secret in it that was sent. */
export function headersFrom(secrets: readonly string[], given: Headers): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    const isHidden =
      NOT_RELAYED.has(name) || named.has(name) || secrets.some((secret) => value.includes(secret));
    if (!isHidden) headers.append(name, value);
  }
  return headers;
}

function namedByConnection(headers: Headers): ReadonlySet<string> {
  const names = headers.get("connection")?.toLowerCase().split(",") ?? [];
  return new Set(names.map((name) => name.trim()));
}
