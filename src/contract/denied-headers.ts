/** Of one connection only (RFC 9110, 7.6.1), beside those that begin with `proxy-`. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Would make another request of it: another method, path or host, or a part of the answer, which then says nothing of its cost. */
const OTHER_REQUEST = [
  "expect",
  "host",
  "range",
  "x-host",
  "x-method-override",
  "x-rewrite-url",
  "accept-encoding",
] as const;

/** Say who calls and from where. */
const CALLER = [
  "client-ip",
  "cookie",
  "fastly-client-ip",
  "fly-client-ip",
  "forwarded",
  "origin",
  "referer",
  "set-cookie",
  "true-client-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-real-ip",
] as const;

const DENIED: ReadonlySet<string> = new Set([...OTHER_REQUEST, ...CALLER, "__proto__"]);

const DENIED_PREFIXES = [
  "cf-",
  "content-",
  "if-",
  "sec-",
  "x-amz-",
  "x-envoy-",
  "x-forwarded",
  "x-http-method",
  "x-original-",
  "x-sluice-",
  "x-svc-",
] as const;

/** Headers in which SDKs send the key of a provider. */
export const KEY_HEADERS = ["authorization", "x-api-key", "api-key", "x-goog-api-key"] as const;

/** Returns whether a header, in lower case, belongs to one connection, so that it is never handed on. */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.has(name) || name.startsWith("proxy-");
}

/**
 * Returns whether a header is never taken from anybody: not from a caller of the proxy, and not from an organization for its keys
 * of providers or its exports. Whoever sends the request sets it, or it would make another request of it.
 */
export function isDeniedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  if (isHopByHop(lower) || DENIED.has(lower)) return true;
  return DENIED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}
