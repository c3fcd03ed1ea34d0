import type { Provider } from "./options.ts";

/** Of one connection only (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
] as const;

/** The caller's own, or ours to say: its keys, its address, its account at the provider, how bodies are sent. */
const NOT_SENT = new Set([
  ...HOP_BY_HOP,
  "accept-encoding",
  "authorization",
  "content-encoding",
  "content-length",
  "cookie",
  "expect",
  "forwarded",
  "host",
  "openai-organization",
  "openai-project",
  "origin",
  "referer",
  "x-api-key",
  "x-real-ip",
]);
const NOT_SENT_PREFIXES = ["x-sluice-", "x-forwarded-", "cf-", "x-svc-"];

/** The provider's account is not the caller's to see, and only we name our runs and traces. Bodies are relayed decoded. */
const NOT_RELAYED = new Set([
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
  "x-sluice-run-id",
  "x-svc-trace-id",
]);

export function headersTo({ key }: Provider, given: Headers, isAnthropic: boolean): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    const isOurs = NOT_SENT.has(name) || NOT_SENT_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (!isOurs && !named.has(name)) headers.set(name, value);
  }
  headers.set("accept-encoding", "identity");
  if (isAnthropic) headers.set("x-api-key", key);
  else headers.set("authorization", `Bearer ${key}`);
  return headers;
}

/** Without anything that has the provider's key in it. */
export function headersFrom({ key }: Provider, given: Headers): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    if (!NOT_RELAYED.has(name) && !named.has(name) && !value.includes(key)) headers.append(name, value);
  }
  return headers;
}

function namedByConnection(headers: Headers): ReadonlySet<string> {
  const names = headers.get("connection")?.toLowerCase().split(",") ?? [];
  return new Set(names.map((name) => name.trim()));
}
