/** Headers that nobody sets: not a caller of the proxy, and not an organization for its keys of providers or its exports. */
export const DENIED_HEADERS = [
  "Connection",
  "Keep-Alive",
  "Proxy-Authorization",
  "TE",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
  "Host",
  "X-Host",
  "Expect",
  "Range",
  "If-None-Match",
  "If-Range",
  "X-HTTP-Method-Override",
  "X-Method-Override",
  "X-Original-URL",
  "X-Rewrite-URL",
  "Cookie",
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Real-IP",
  "True-Client-IP",
  "CF-Connecting-IP",
  "cf-worker",
  "X-Envoy-Original-Path",
  "X-Amz-Security-Token",
  "x-amz-date",
  "Content-Length",
  "content-encoding",
  "Content-MD5",
  "Accept-Encoding",
  "Sec-WebSocket-Key",
  "X-Sluice-Key",
  "X-Svc-Trace-Id",
  "__proto__",
] as const;

/** As JSON has it: a literal would set the prototype. */
export function headerObject(name: string): Record<string, string> {
  return JSON.parse(`{${JSON.stringify(name)}:"1"}`) as Record<string, string>;
}
