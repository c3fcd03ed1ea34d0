import { isHopByHop, isRelayedHeader } from "../domain/network/relayed-header.ts";

/** The provider's account is not the caller's to see, and only we name our runs and traces. Bodies are relayed decoded. */
const NOT_RELAYED = new Set<string>([
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

/**
 * Marks what went through a proxy. A call that comes with it was sent by one, so that it goes no further: an address that leads
 * back here, under whatever name, would otherwise be called again and again. Callers cannot remove it, and gain nothing by it.
 */
export const PROXIED_HEADER = "x-sluice-proxied";

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
    if (isRelayedHeader(name) && !named.has(name)) headers.set(name, value);
  }
  headers.set("accept-encoding", "identity");
  if (contentType !== null) headers.set("content-type", contentType);
  for (const [name, value] of added) headers.set(name, value);
  headers.set(PROXIED_HEADER, "1");
  return headers;
}

/** Without anything that has a secret in it that was sent. */
export function headersFrom(secrets: readonly string[], given: Headers): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    const isHidden =
      isHopByHop(name) ||
      NOT_RELAYED.has(name) ||
      named.has(name) ||
      secrets.some((secret) => value.includes(secret));
    if (!isHidden) headers.append(name, value);
  }
  return headers;
}

function namedByConnection(headers: Headers): ReadonlySet<string> {
  const names = headers.get("connection")?.toLowerCase().split(",") ?? [];
  return new Set(names.map((name) => name.trim()));
}
