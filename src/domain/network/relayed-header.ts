import { isDeniedHeader, isHopByHop, KEY_HEADERS } from "../../contract/denied-headers.ts";

export { isHopByHop, KEY_HEADERS };

/** Choose the account at the provider that a call is billed to. */
const ACCOUNT = [
  "anthropic-workspace-id",
  "openai-organization",
  "openai-project",
  "x-goog-user-project",
] as const;
const CALLERS_OWN: ReadonlySet<string> = new Set([...KEY_HEADERS, ...ACCOUNT]);
/** Callers that come from another gateway may still send its headers, and its key in one of them. */
const OTHER_GATEWAYS = ["helicone-", "x-portkey-", "x-litellm-"] as const;

/** Returns whether a provider gets a header that a caller of the proxy sent. */
export function isRelayedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    !isDeniedHeader(lower) &&
    !CALLERS_OWN.has(lower) &&
    !OTHER_GATEWAYS.some((prefix) => lower.startsWith(prefix))
  );
}
